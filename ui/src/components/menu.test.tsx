import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { Menu, MenuButton, MenuItem } from "./menu";

const renderMenu = (names = ["Rename", "Copy", "Delete"]) => {
  render(
    <MenuButton
      button={(attributes) => (
        <button type="button" {...attributes}>
          {"More"}
        </button>
      )}
    >
      <Menu>
        {names.map((name) => (
          <MenuItem key={name} id={name}>
            {name}
          </MenuItem>
        ))}
      </Menu>
    </MenuButton>,
  );
  screen.getByRole("button", { name: "More" }).focus();
};

it.each([
  ["{Enter}", "Rename"],
  [" ", "Rename"],
  ["{ArrowDown}", "Rename"],
  ["{ArrowUp}", "Delete"],
])("focuses an item when %s opens the menu", async (key, name) => {
  renderMenu();
  await userEvent.keyboard(key);
  await waitFor(() => expect(screen.getByRole("menuitem", { name })).toHaveFocus());
  await userEvent.keyboard("{Escape}");
  await waitFor(() => expect(screen.getByRole("button", { name: "More" })).toHaveFocus());
});

it("moves to the next matching item when a letter is typed again", async () => {
  renderMenu(["Sales", "Support", "Team", "Sourcing"]);
  await userEvent.keyboard("{Enter}");
  const item = (name: string) => screen.getByRole("menuitem", { name });
  await waitFor(() => expect(item("Sales")).toHaveFocus());
  await userEvent.keyboard("s");
  expect(item("Support")).toHaveFocus();
  await userEvent.keyboard("s");
  expect(item("Sourcing")).toHaveFocus();
  await userEvent.keyboard("s");
  expect(item("Sales")).toHaveFocus();
});
