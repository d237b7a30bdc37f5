import { render, screen } from "@testing-library/react";
import { act } from "react";
import { expect, test, vi } from "vitest";
import { FactorReminder } from "./factor-reminder";

vi.mock("./factor-banner", () => {
  throw new Error("the connection is lost");
});

test("without a connection there is no banner, and the screen stays", async () => {
  vi.useFakeTimers();
  render(
    <main aria-label="screen">
      <FactorReminder />
    </main>,
  );
  await act(() => vi.advanceTimersByTimeAsync(5_000));
  vi.useRealTimers();
  await act(() => new Promise((done) => setTimeout(done, 100)));
  expect(screen.getByRole("main", { name: "screen" })).toBeEmptyDOMElement();
});
