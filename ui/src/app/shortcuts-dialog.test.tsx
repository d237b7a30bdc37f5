import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it } from "vitest";
import { isSingleKey, setSingleKeys } from "@/lib/keys";
import { useShortcutsHelp } from "@/shell/shortcuts-help";
import { ShortcutsHelp } from "./shortcuts-help";

afterEach(() => setSingleKeys(true));

it("turns single-key shortcuts off, and remembers it in this browser", async () => {
  render(<ShortcutsHelp />);
  await userEvent.keyboard("?");
  const choice = await screen.findByRole("switch", { name: /Shortcuts with a single key/ });
  expect(choice).toBeChecked();
  expect(screen.getByText("Next or previous row")).toBeVisible();
  await userEvent.click(choice);
  expect(screen.queryByText("Next or previous row")).toBeNull();
  expect(screen.getByText("Undo the last action")).toBeVisible();
  expect(isSingleKey(new KeyboardEvent("keydown", { key: "j" }))).toBe(false);
  expect(localStorage.getItem("atrium.single-keys")).toBe("off");
  await userEvent.keyboard("{Escape}");
  await userEvent.keyboard("?");
  expect(useShortcutsHelp.getState().open).toBe(false);
});
