import { afterEach, expect, it } from "vitest";
import { setTimeZone } from "@/lib/zone";
import { whenText } from "./when";

afterEach(() => setTimeZone(undefined));

// The kind of fault: a traveller reads a time of the own zone as one of the place.
it("the times of an event name the member's zone once, where the device has another time", () => {
  setTimeZone("Asia/Kolkata");
  const times = { allDay: false, start: "2026-11-21T08:00:00Z", end: "2026-11-21T09:00:00Z" };
  expect(whenText(times, "All day", "short")).toEqual(["Sat, Nov 21, 2026", "1:30 PM – 2:30 PM GMT+5:30"]);
  const days = { allDay: false, start: "2026-11-21T08:00:00Z", end: "2026-11-22T09:00:00Z" };
  expect(whenText(days, "All day", "short")[1]).toBe("Sun, Nov 22, 2026, 2:30 PM GMT+5:30");
  expect(whenText({ allDay: true, startDate: "2026-11-21", endDate: "2026-11-21" }, "All day", "short")[1]).toBe("All day");
});
