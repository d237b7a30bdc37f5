import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, test } from "vitest";
import { renderApp } from "@/test/render";
import { PeopleField } from "./people-field";

const options = [
  { id: "1", name: "Ada Vela" },
  { id: "2", name: "Ben Osei" },
  { id: "3", name: "Bea Ruiz" },
];

function People() {
  const [value, setValue] = useState<string[]>([]);
  return <PeopleField label="People" value={value} onChange={setValue} options={options} />;
}

test("Enter takes the first match of a typed text", async () => {
  renderApp(<People />);
  const input = screen.getByRole("combobox", { name: "People" });
  await userEvent.type(input, "be");
  expect(await screen.findAllByRole("option")).toHaveLength(2);
  await userEvent.keyboard("{Enter}");
  expect(screen.getByRole("button", { name: "Remove Ben Osei", hidden: true })).toBeVisible();
  expect(input).toHaveValue("");
  await userEvent.keyboard("ada{Enter}");
  expect(screen.getByRole("button", { name: "Remove Ada Vela", hidden: true })).toBeVisible();
});
