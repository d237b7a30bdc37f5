import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import i18n from "i18next";
import { useState } from "react";
import { afterEach, beforeAll, expect, it, vi } from "vitest";
import { isoDay } from "@/lib/zone";
import es from "../../../i18n/es.json";
import { DateField } from "./date-field";

function Due() {
  const [value, setValue] = useState<string | null>("2026-11-20");
  return <DateField label="Due date" value={value} onChange={setValue} />;
}

const changed = vi.fn();
function Birthday({ start }: { start: string | null }) {
  const [value, setValue] = useState(start);
  const change = (next: string | null) => {
    changed(next);
    setValue(next);
  };
  return <DateField label="Birthday" value={value} onChange={change} yearIsOptional />;
}
const birthday = () => screen.getByRole("textbox", { name: "Birthday" });

beforeAll(() => void i18n.addResourceBundle("es", "translation", es));
afterEach(async () => {
  vi.restoreAllMocks();
  vi.clearAllMocks();
  await i18n.changeLanguage("en");
});

it("keeps an invalid date and its error until the date is corrected", async () => {
  render(<Due />);
  const field = screen.getByRole("textbox", { name: "Due date" });
  const replace = async (text: string) => {
    await userEvent.clear(field);
    await userEvent.type(field, text);
  };
  await replace("99/99/2026");
  await userEvent.tab();
  expect(field).toBeInvalid();
  await userEvent.click(field);
  expect(field).toHaveValue("99/99/2026");
  expect(field).toBeInvalid();
  await replace("11/20/2026");
  expect(field).not.toBeInvalid();
  expect(screen.queryByText(/^Enter a date/)).toBeNull();
});

it("keeps what is typed before the browser paints the focused field", async () => {
  const frames: FrameRequestCallback[] = [];
  vi.spyOn(window, "requestAnimationFrame").mockImplementation((frame) => frames.push(frame));
  render(<Due />);
  const field = screen.getByRole("textbox", { name: "Due date" });
  await userEvent.tab();
  await userEvent.keyboard("{Backspace}");
  await userEvent.clear(field);
  await userEvent.keyboard("1");
  for (const frame of frames) frame(0);
  await userEvent.keyboard("2/31/2026");
  expect(field).toHaveValue("12/31/2026");
});

it.each([
  ["en", "4/12", "April 12"],
  ["en", "12 April", "April 12"],
  ["es", "12/4", "12 de abril"],
  ["es", "12 abr", "12 de abril"],
])("takes a day without a year where it is optional (%s, %s)", async (language, text, shown) => {
  await i18n.changeLanguage(language);
  render(<Birthday start={null} />);
  await userEvent.type(birthday(), `${text}{Enter}`);
  expect(changed.mock.calls).toEqual([["--04-12"]]);
  await userEvent.tab();
  expect(birthday()).toHaveValue(shown);
});

it("says that the year is optional, and what is wrong with a day that does not exist", async () => {
  render(<Birthday start={null} />);
  expect(birthday()).toHaveAccessibleDescription("You can leave out the year.");
  await userEvent.type(birthday(), "31 April{Enter}");
  expect(birthday()).toHaveAccessibleDescription("This day doesn’t exist.");
  expect(changed).not.toHaveBeenCalled();
});

it("completes a date without a year where it is required", async () => {
  render(<Due />);
  const field = screen.getByRole("textbox", { name: "Due date" });
  expect(field).not.toHaveAccessibleDescription();
  await userEvent.clear(field);
  await userEvent.type(field, "4/12");
  await userEvent.tab();
  expect(field).toHaveValue(`April 12, ${isoDay().slice(0, 4)}`);
  await userEvent.clear(field);
  await userEvent.type(field, "April 12{Enter}");
  expect(field).toHaveAccessibleDescription("Enter a date as MM/DD/YYYY.");
});

it("leaves a day without a year as it is while nothing is typed", async () => {
  render(<Birthday start="--02-29" />);
  expect(birthday()).toHaveValue("February 29");
  await userEvent.click(birthday());
  expect(birthday()).toHaveValue("02/29");
  await userEvent.tab();
  expect(birthday()).toHaveValue("February 29");
  expect(changed).not.toHaveBeenCalled();
});

it("opens the calendar at the month of a day without a year, and takes a full date from it", async () => {
  const year = isoDay().slice(0, 4);
  render(<Birthday start="--02-29" />);
  await userEvent.click(screen.getByRole("button", { name: "Open calendar: Birthday" }));
  const calendar = within(await screen.findByRole("grid", { name: new RegExp(`February ${year}`) }));
  expect(calendar.queryByRole("gridcell", { selected: true })).toBeNull();
  await userEvent.click(calendar.getByRole("button", { name: new RegExp(`February 12, ${year}`) }));
  expect(changed.mock.calls).toEqual([[`${year}-02-12`]]);
  expect(birthday()).toHaveValue(`February 12, ${year}`);
});

// The kind of fault: a field that got the focus and was left without typing writes back what it showed before.
it.each([["2026-11-30"], ["2027-01-01"], [null]])(
  "follows %s that is set while it has the focus, and leaving it changes nothing",
  async (day) => {
    const { rerender } = render(<DateField label="End" value="2026-11-29" onChange={changed} />);
    const field = screen.getByRole("textbox", { name: "End" });
    await userEvent.click(field);
    expect(field).toHaveValue("11/29/2026");
    rerender(<DateField label="End" value={day} onChange={changed} />);
    expect(field).toHaveValue(day ? `${day.slice(5, 7)}/${day.slice(8)}/${day.slice(0, 4)}` : "");
    await userEvent.tab();
    expect(changed).not.toHaveBeenCalled();
  },
);
