import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, it } from "vitest";
import { ChoiceField } from "./choice-field";

function Zone() {
  const [value, setValue] = useState("london");
  const options = ["London", "New York", "Newcastle", "York"].map((label) => ({ value: label.toLowerCase(), label }));
  return <ChoiceField label="Time zone" value={value} onChange={setValue} options={options} />;
}

it("typing replaces the whole text, and Escape restores the chosen option", async () => {
  render(<Zone />);
  const field = screen.getByRole("combobox", { name: "Time zone" });
  await userEvent.tab();
  expect(await screen.findAllByRole("option")).toHaveLength(4);
  await userEvent.keyboard("new");
  // As React Aria does when the current option changes: it must not select the text again.
  field.dispatchEvent(new FocusEvent("focusin", { bubbles: true }));
  await userEvent.keyboard(" york");
  expect(field).toHaveValue("new york");
  await userEvent.keyboard("{Escape}");
  await waitFor(() => expect(field).toHaveAttribute("aria-expanded", "false"));
  expect(field).toHaveValue("London");
});

it("typing highlights the first match, which Enter takes; then a press opens the list again", async () => {
  render(<Zone />);
  const field = screen.getByRole("combobox", { name: "Time zone" });
  await userEvent.tab();
  await userEvent.keyboard("newcastle");
  const option = await screen.findByRole("option", { name: "Newcastle" });
  await waitFor(() => expect(field).toHaveAttribute("aria-activedescendant", option.id));
  await userEvent.keyboard("{Enter}");
  expect(field).toHaveValue("Newcastle");
  await waitFor(() => expect(field).toHaveAttribute("aria-expanded", "false"));
  await userEvent.click(field);
  expect(await screen.findAllByRole("option")).toHaveLength(4);
  await userEvent.keyboard("{Escape}");
  await waitFor(() => expect(field).toHaveAttribute("aria-expanded", "false"));
  await userEvent.click(field);
  expect(await screen.findAllByRole("option")).toHaveLength(4);
});
