import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { MoneyField } from "./money-field";

test("a negative amount is refused at its field, and an amount from before stays", async () => {
  const onChange = vi.fn();
  const onWrong = vi.fn();
  render(<MoneyField label="Value" value={{ amount: -500, currency: "EUR" }} onChange={onChange} onWrong={onWrong} />);
  const input = screen.getByRole("textbox", { name: "Value" });
  expect(input).toHaveValue("-5.00");
  await userEvent.click(input);
  await userEvent.tab();
  expect(input).toBeValid();
  await userEvent.clear(input);
  await userEvent.type(input, "-4");
  await userEvent.tab();
  expect(input).toHaveAccessibleDescription("Enter an amount that isn’t negative.");
  expect(onWrong).toHaveBeenLastCalledWith(true);
  expect(onChange).not.toHaveBeenCalled();
  await userEvent.clear(input);
  await userEvent.type(input, "4");
  await userEvent.tab();
  expect(onChange).toHaveBeenLastCalledWith({ amount: 400, currency: "EUR" });
  expect(onWrong).toHaveBeenLastCalledWith(false);
});
