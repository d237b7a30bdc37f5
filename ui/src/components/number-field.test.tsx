import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import i18n from "i18next";
import { useState } from "react";
import { afterEach, expect, test, vi } from "vitest";
import { NumberField } from "./number-field";

const changed = vi.fn();
const wrong = vi.fn();

function Form({ start }: { start: number | null }) {
  const [value, setValue] = useState(start);
  return (
    <NumberField
      label="Value"
      value={value}
      onChange={(next) => {
        changed(next);
        setValue(next);
      }}
      onWrong={wrong}
    />
  );
}

afterEach(async () => {
  vi.clearAllMocks();
  await i18n.changeLanguage("en");
});

test("a typed number is taken when the field is left, and an empty field clears it", async () => {
  render(<Form start={1250.5} />);
  const field = screen.getByRole("textbox", { name: "Value" });
  expect(field).toHaveValue("1250.5");
  await userEvent.clear(field);
  await userEvent.type(field, "12,000.25");
  expect(changed).not.toHaveBeenCalled();
  await userEvent.tab();
  expect(changed).toHaveBeenLastCalledWith(12000.25);
  expect(field).toHaveValue("12000.25");
  await userEvent.clear(field);
  await userEvent.keyboard("{Enter}");
  expect(changed).toHaveBeenLastCalledWith(null);
});

test("an invalid number stays to be corrected, and changes nothing", async () => {
  render(<Form start={3} />);
  const field = screen.getByRole("textbox", { name: "Value" });
  await userEvent.type(field, " dozen");
  await userEvent.tab();
  expect(await screen.findByText("Enter a number.")).toBeVisible();
  expect(field).toHaveValue("3 dozen");
  expect(field).toBeInvalid();
  expect(changed).not.toHaveBeenCalled();
  expect(wrong).toHaveBeenLastCalledWith(true);
  await userEvent.clear(field);
  await userEvent.type(field, "36");
  expect(screen.queryByText("Enter a number.")).toBeNull();
  expect(wrong).toHaveBeenLastCalledWith(false);
});

test("a number has the form of the language", async () => {
  await i18n.changeLanguage("es");
  render(<Form start={2.5} />);
  const field = screen.getByRole("textbox", { name: "Value" });
  expect(field).toHaveValue("2,5");
  await userEvent.clear(field);
  await userEvent.type(field, "1.000,75{Enter}");
  expect(changed).toHaveBeenLastCalledWith(1000.75);
});
