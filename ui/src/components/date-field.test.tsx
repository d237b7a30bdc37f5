import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, it, vi } from "vitest";
import { DateField } from "./date-field";

function Due() {
  const [value, setValue] = useState<string | null>("2026-11-20");
  return <DateField label="Due date" value={value} onChange={setValue} />;
}

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
