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

// The kind of fault: an amount that is stored as another one than was typed, or refused although it is one.
test.each([
  ["99999999999999999", "This amount is too large."],
  ["0.999", "This has too many decimals for EUR."],
  ["five", "Enter a number."],
])("%j stays as typed, with the reason", async (text, reason) => {
  const onChange = vi.fn();
  render(<MoneyField label="Value" value={{ amount: 500, currency: "EUR" }} onChange={onChange} />);
  const input = screen.getByRole("textbox", { name: "Value" });
  await userEvent.clear(input);
  await userEvent.type(input, text);
  await userEvent.tab();
  expect(input).toHaveValue(text);
  expect(input).toHaveAccessibleDescription(reason);
  expect(onChange).not.toHaveBeenCalled();
});

test.each([
  ["1.200", { amount: 120000, currency: "EUR" }],
  ["€ 5", { amount: 500, currency: "EUR" }],
  ["5 USD", { amount: 500, currency: "USD" }],
])("%j is taken with its thousands and currency", async (text, money) => {
  const onChange = vi.fn();
  render(<MoneyField label="Value" value={{ amount: 100, currency: "EUR" }} onChange={onChange} />);
  const input = screen.getByRole("textbox", { name: "Value" });
  await userEvent.clear(input);
  await userEvent.type(input, text);
  await userEvent.tab();
  expect(onChange).toHaveBeenLastCalledWith(money);
});
