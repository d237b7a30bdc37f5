import { fireEvent, render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { hasRecovery, saveRecovery, trackInput } from "@/lib/input-recovery";
import { PasswordField } from "./password-field";

it("is not stored for recovery while its text is shown", () => {
  sessionStorage.clear();
  const stop = trackInput();
  render(<PasswordField label="Password" />);
  fireEvent.click(screen.getByRole("button"));
  const input = screen.getByLabelText("Password");
  fireEvent.focusIn(input);
  fireEvent.input(input, { target: { value: "correct horse battery" } });
  saveRecovery("u1");
  stop();
  expect(hasRecovery("u1")).toBe(false);
});
