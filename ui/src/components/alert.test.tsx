import { fireEvent, render, screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { Alert, type AlertProps } from "./alert";

const kinds: AlertProps["kind"][] = ["primary", "accent", "warn", "basic", "info", "success", "warning", "error"];

it.each(kinds)("shows its text as %s in every look", (kind) => {
  for (const look of ["border", "fill", "outline", "soft"] as const) {
    const { unmount } = render(
      <Alert kind={kind} look={look}>
        {"A sentence"}
      </Alert>,
    );
    const box = screen.getByRole(kind === "error" || kind === "warn" ? "alert" : "status");
    expect(box).toHaveTextContent("A sentence");
    expect(box.style.getPropertyValue("--alert-ink")).toMatch(/^var\(--/);
    unmount();
  }
});

it("calls onDismiss when Dismiss is clicked", () => {
  const put = vi.fn();
  render(
    <Alert kind="info" onDismiss={put}>
      {"A sentence"}
    </Alert>,
  );
  fireEvent.click(screen.getByRole("button", { name: "Dismiss" }));
  expect(put).toHaveBeenCalled();
});
