import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";
import type { NewShortcut, Shortcut } from "@/api/schema";
import { renderApp } from "@/test/render";
import { Answer, standInServer } from "@/test/server";
import { ShortcutsTool } from "./shortcuts-tool";

const server = standInServer();
let list: Shortcut[];

beforeEach(() => {
  list = [{ id: "1", label: "Tasks", description: "Due", icon: "star", link: "/tasks", useRouter: true }];
  server.on("GET /api/common/shortcuts", () => list);
  server.on("POST /api/common/shortcuts", ({ body }) => ({ id: "2", ...(body as { shortcut: NewShortcut }).shortcut }));
  server.on("PATCH /api/common/shortcuts", ({ body }) => ({ ...list[0], ...(body as { shortcut: NewShortcut }).shortcut }));
  server.on("DELETE /api/common/shortcuts", () => list.shift());
});

async function open() {
  const app = renderApp(<ShortcutsTool />);
  await userEvent.click(screen.getByRole("button", { name: "Shortcuts" }));
  const dialog = await screen.findByRole("dialog");
  return { ...app, dialog, press: (name: string) => userEvent.click(within(dialog).getByRole("button", { name })) };
}

it("follows a link in view mode", async () => {
  const { dialog, router } = await open();
  await userEvent.click(await within(dialog).findByRole("link", { name: /Tasks/ }));
  expect(router.state.location.pathname).toBe("/tasks");
});

it("disables Add while the form is invalid, and adds the new shortcut first in edit mode", async () => {
  const { dialog, press } = await open();
  await press("Add shortcut");
  expect(await within(dialog).findByRole("button", { name: "Add" })).toBeDisabled();
  await userEvent.type(within(dialog).getByLabelText(/Label/), "Docs");
  await userEvent.type(within(dialog).getByLabelText(/Link/), "javascript:alert(1)");
  await userEvent.tab();
  expect(await within(dialog).findByText(/must be a path/)).toBeVisible();
  expect(within(dialog).getByRole("button", { name: "Add" })).toBeDisabled();
  await userEvent.click(within(dialog).getByRole("switch", { name: "Open inside the application" }));
  await userEvent.clear(within(dialog).getByLabelText(/Link/));
  await userEvent.type(within(dialog).getByLabelText(/Link/), "https://docs.example/");
  await waitFor(() => expect(within(dialog).getByRole("button", { name: "Add" })).toBeEnabled());
  await press("Add");
  expect(await within(dialog).findByRole("button", { name: "Stop editing" })).toBeVisible();
  const names = within(dialog)
    .getAllByRole("button", { name: /^Edit / })
    .map((button) => button.getAttribute("aria-label"));
  expect(names).toEqual(["Edit Docs", "Edit Tasks"]);
  expect(server.sent("POST /api/common/shortcuts")[0]?.body).toEqual({
    shortcut: { label: "Docs", icon: "star", link: "https://docs.example/", useRouter: false },
  });
});

it("edits the clicked shortcut, and returns to edit mode", async () => {
  const { dialog, press } = await open();
  await press("Edit shortcuts");
  await press("Edit Tasks");
  const label = await within(dialog).findByLabelText(/Label/);
  expect(label).toHaveValue("Tasks");
  await press("Cancel");
  await press("Edit Tasks");
  await userEvent.clear(within(dialog).getByLabelText(/Label/));
  await userEvent.type(within(dialog).getByLabelText(/Label/), "My tasks");
  await waitFor(() => expect(within(dialog).getByRole("button", { name: "Update" })).toBeEnabled());
  await press("Update");
  expect(await within(dialog).findByRole("button", { name: "Edit My tasks" })).toBeVisible();
  expect(server.sent("PATCH /api/common/shortcuts")[0]?.body).toMatchObject({ id: "1", shortcut: { label: "My tasks" } });
  await press("Stop editing");
  expect(within(dialog).getByRole("link", { name: /My tasks/ })).toBeVisible();
});

it("deletes a shortcut, and says when none is left", async () => {
  const { dialog, press } = await open();
  await press("Edit shortcuts");
  await press("Edit Tasks");
  await press("Delete");
  expect(await within(dialog).findByText("No shortcuts")).toBeVisible();
  expect(within(dialog).getByText("When you have shortcuts, they will appear here.")).toBeVisible();
  expect(server.sent("DELETE /api/common/shortcuts")[0]?.query.get("id")).toBe("1");
});

it("keeps the form and shows the error when the server rejects it", async () => {
  server.on(
    "POST /api/common/shortcuts",
    () =>
      new Answer(422, {
        error: { code: "invalid", message: "Some fields aren’t valid. Correct them and try again.", fields: { link: "Not a safe link." } },
      }),
  );
  const { dialog, press } = await open();
  await press("Add shortcut");
  await userEvent.type(await within(dialog).findByLabelText(/Label/), "Docs");
  await userEvent.type(within(dialog).getByLabelText(/Link/), "/docs");
  await waitFor(() => expect(within(dialog).getByRole("button", { name: "Add" })).toBeEnabled());
  await press("Add");
  expect(await within(dialog).findByText("Not a safe link.")).toBeVisible();
  expect(within(dialog).getByLabelText(/Label/)).toHaveValue("Docs");
});

it("opens in view mode each time", async () => {
  const { press } = await open();
  await press("Edit shortcuts");
  await userEvent.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  await userEvent.click(screen.getByRole("button", { name: "Shortcuts" }));
  const dialog = await screen.findByRole("dialog");
  expect(await within(dialog).findByRole("link", { name: /Tasks/ })).toBeVisible();
});

it("finds an icon by its name, and saves the chosen one", async () => {
  const { dialog, press } = await open();
  await press("Add shortcut");
  await userEvent.type(await within(dialog).findByRole("searchbox", { name: "Find an icon" }), "truck");
  const found = within(dialog).getAllByRole("option");
  expect(found.map((option) => option.getAttribute("aria-label"))).toEqual(["Truck"]);
  await userEvent.click(found[0] as HTMLElement);
  await userEvent.type(within(dialog).getByLabelText(/Label/), "Parcels");
  await userEvent.type(within(dialog).getByLabelText(/Link/), "/parcels");
  await waitFor(() => expect(within(dialog).getByRole("button", { name: "Add" })).toBeEnabled());
  await press("Add");
  await within(dialog).findByRole("button", { name: "Edit Parcels" });
  expect(server.sent("POST /api/common/shortcuts")[0]?.body).toMatchObject({ shortcut: { icon: "truck" } });
});

describe("in order", () => {
  beforeEach(() => {
    list = ["a", "b", "c"].map((id) => ({ id, label: id.toUpperCase(), icon: "star", link: `/${id}`, useRouter: true }));
    server.on("POST /api/common/shortcuts/order", ({ body }) => {
      const { ids } = body as { ids: string[] };
      list = ids.flatMap((id) => list.filter((one) => one.id === id));
      return list;
    });
  });
  const labels = (dialog: HTMLElement) =>
    within(dialog)
      .getAllByRole("button", { name: /^Edit [A-C]$/ })
      .map((button) => button.getAttribute("aria-label")?.at(-1))
      .join("");

  it("arrow keys move a shortcut, keep the focus on it and announce its place", async () => {
    const { dialog, press } = await open();
    await press("Edit shortcuts");
    const handle = within(dialog).getByRole("button", { name: "Move A" });
    handle.focus();
    await userEvent.keyboard("{ArrowRight}");
    await waitFor(() => expect(labels(dialog)).toBe("BAC"));
    expect(within(dialog).getByRole("button", { name: "Move A" })).toHaveFocus();
    expect(within(dialog).getByText("A: place 2 of 3")).toBeInTheDocument();
    await userEvent.keyboard("{End}");
    await waitFor(() => expect(labels(dialog)).toBe("BCA"));
    await waitFor(() =>
      expect(server.sent("POST /api/common/shortcuts/order").map(({ body }) => (body as { ids: string[] }).ids.join(""))).toEqual([
        "bac",
        "bca",
      ]),
    );
  });

  it("a menu moves a shortcut without dragging", async () => {
    const { dialog, press } = await open();
    await press("Edit shortcuts");
    await press("Move C");
    expect(await screen.findByRole("menuitem", { name: "To the end" })).toHaveAttribute("aria-disabled", "true");
    await userEvent.click(screen.getByRole("menuitem", { name: "To the start" }));
    await waitFor(() => expect(labels(dialog)).toBe("CAB"));
  });

  it("restores the old order when the server rejects the new one", async () => {
    server.on("POST /api/common/shortcuts/order", () => new Answer(503, { error: { code: "busy", message: "Busy" } }));
    const { dialog, press } = await open();
    await press("Edit shortcuts");
    within(dialog).getByRole("button", { name: "Move A" }).focus();
    await userEvent.keyboard("{ArrowRight}");
    await waitFor(() => expect(server.sent("POST /api/common/shortcuts/order")).toHaveLength(1));
    await waitFor(() => expect(labels(dialog)).toBe("ABC"));
  });
});

it("moves the focus to the matching control when the mode changes", async () => {
  const { dialog, press } = await open();
  await press("Edit shortcuts");
  expect(within(dialog).getByRole("button", { name: "Stop editing" })).toHaveFocus();
  await press("Edit Tasks");
  expect(await within(dialog).findByLabelText(/Label/)).toHaveFocus();
  await press("Cancel");
  expect(within(dialog).getByRole("button", { name: "Edit Tasks" })).toHaveFocus();
  await press("Stop editing");
  expect(within(dialog).getByRole("button", { name: "Edit shortcuts" })).toHaveFocus();
  await press("Add shortcut");
  await press("Cancel");
  expect(within(dialog).getByRole("button", { name: "Add shortcut" })).toHaveFocus();
});
