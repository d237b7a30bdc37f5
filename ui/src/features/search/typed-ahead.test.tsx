import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import { renderApp } from "@/test/render";
import { SearchTool } from "./search-tool";

// In a file of its own, because the bar must not be loaded yet, so that it takes a moment.
it("keeps letters typed before the search field has loaded", async () => {
  const heard: string[] = [];
  const page = (event: KeyboardEvent) => heard.push(event.key);
  document.body.addEventListener("keydown", page);
  const type = (...keys: string[]) => {
    for (const key of keys) fireEvent.keyDown(document.body, { key });
  };
  renderApp(<SearchTool />);
  type("/", "x", "y", "Backspace");
  expect(screen.queryByPlaceholderText("Search...")).toBeNull();
  await waitFor(() => expect(screen.getByPlaceholderText("Search...")).toHaveValue("x"));
  expect(screen.getByPlaceholderText("Search...")).toHaveFocus();
  // No key was a command of the page; from now on the page receives its keys again.
  expect(heard).toEqual(["/"]);
  type("n");
  expect(heard).toEqual(["/", "n"]);
  document.body.removeEventListener("keydown", page);
});
