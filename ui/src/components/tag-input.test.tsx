import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, test } from "vitest";
import { TagInput } from "./tag-input";

function Field({ first = [] as string[] }) {
  const [tags, setTags] = useState(first);
  return (
    <>
      <TagInput label="Tags" value={tags} onChange={setTags} suggestions={["wholesale", "Éxito"]} />
      <output>{tags.join("|")}</output>
    </>
  );
}

test("Enter and commas add tags, Backspace removes the last, and duplicates are ignored", async () => {
  render(<Field />);
  await userEvent.type(screen.getByLabelText("Tags"), "retail{Enter}EU,eu{Enter}");
  expect(screen.getByRole("status")).toHaveTextContent("retail|EU");
  await userEvent.type(screen.getByLabelText("Tags"), "{Backspace}");
  expect(screen.getByRole("status")).toHaveTextContent("retail");
});

test("suggests tags that are not chosen yet, ignoring accents", async () => {
  render(<Field first={["wholesale"]} />);
  await userEvent.type(screen.getByLabelText("Tags"), "exi");
  expect(screen.queryByText("wholesale", { selector: "button" })).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "Add tag Éxito" }));
  expect(screen.getByRole("status")).toHaveTextContent("wholesale|Éxito");
});

test("a button below stays in place until the press on it is over", async () => {
  render(<Field />);
  await userEvent.type(screen.getByLabelText("Tags"), "retail");
  await userEvent.clear(screen.getByLabelText("Tags"));
  await userEvent.pointer({ keys: "[MouseLeft>]", target: document.body });
  expect(screen.getByRole("button", { name: "Add tag wholesale" })).toBeVisible();
  await waitFor(() => expect(screen.queryByRole("button", { name: "Add tag wholesale" })).toBeNull());
});
