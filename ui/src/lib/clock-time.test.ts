import { expect, it } from "vitest";
import { laterBy, parseTime, timeText } from "./clock-time";

it.each([
  ["9", "09:00"],
  ["930", "09:30"],
  ["0930", "09:30"],
  ["9:30", "09:30"],
  ["21.30", "21:30"],
  ["21h30", "21:30"],
  ["9:30 pm", "21:30"],
  ["12:05 AM", "00:05"],
  ["12 p.m.", "12:00"],
  ["24:00", undefined],
  ["9:60", undefined],
  ["13 pm", undefined],
  ["soon", undefined],
  ["", undefined],
])("%j is %s", (text, time) => expect(parseTime(text)).toBe(time));

it("parses its own texts, and wraps around midnight", () => {
  for (const time of ["00:00", "09:30", "12:00", "23:45"]) expect(parseTime(timeText(time).replace(/\u202f/g, " "))).toBe(time);
  expect([laterBy("23:50", 15), laterBy("00:05", -15)]).toEqual(["00:05", "23:50"]);
});
