import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { addDays, isoDay } from "@/lib/zone";
import { Due } from "./due";

test("today has a colour that no scheme shares with overdue", () => {
  render(
    <>
      <Due date={isoDay()} completed={false} />
      <Due date={addDays(isoDay(), -1)} completed={false} />
    </>,
  );
  expect(screen.getByText("Today")).toHaveClass("text-warn");
  expect(screen.getByText("(overdue)").parentElement).toHaveClass("text-bad");
});
