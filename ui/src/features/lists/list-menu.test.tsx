import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { accept } from "@/api/session";
import { setRegion } from "@/lib/region";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { Answer, standInServer } from "@/test/server";
import { ListMenu } from "./list-menu";
import type { AnyList } from "./use-list";

const server = standInServer();
const shown = ["status", "email"].map((id) => ({ id, label: id, type: "text", cell: () => null }));
const list = (kind: AnyList["kind"]) =>
  ({
    kind,
    request: { q: "ana", filter: ["status:is:lead", "tags:is:a\\,b"], sort: "-updatedAt" },
    columns: [{ id: "name", label: "Name", type: "text" }, ...shown],
    shown,
    showable: shown,
  }) as unknown as AnyList;
const open = async () => {
  await userEvent.click(screen.getByRole("button", { name: "More actions" }));
  await userEvent.click(screen.getByRole("menuitem", { name: "Export…" }));
  return screen.findByRole("dialog", { name: "Export" });
};

test("exports the list with its filters and in its order, people as vCards, too", async () => {
  accept({ ...signedIn(), user: { ...mira, permissions: ["customers.read"] } });
  const clicked = vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(() => undefined);
  server.on("GET /api/exports", () => new Answer(200, "Name"));
  renderApp(<ListMenu list={list("customer")} />);
  for (const [choice, format] of [
    ["CSV", "csv"],
    ["vCards", "vcard3"],
    ["JSON", "json"],
  ] as const) {
    const dialog = await open();
    await userEvent.click(within(dialog).getByRole("radio", { name: choice }));
    await userEvent.click(within(dialog).getByRole("button", { name: "Export" }));
    await waitFor(() => expect(server.sent("GET /api/exports").at(-1)?.query.get("format")).toBe(format));
    const { query } = server.sent("GET /api/exports").at(-1) ?? {};
    expect([query?.get("kind"), query?.get("q"), query?.get("sort"), query?.getAll("filter"), query?.getAll("columns")]).toEqual([
      "customers",
      "ana",
      "-updatedAt",
      ["status:is:lead", "tags:is:a\\,b"],
      [],
    ]);
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  }
  expect(clicked).toHaveBeenCalledTimes(3);
});

test("a CSV file has semicolons where decimals stand behind a comma, or the chosen delimiter; other files have none", async () => {
  accept({ ...signedIn(), user: { ...mira, permissions: ["customers.read"] } });
  vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(() => undefined);
  server.on("GET /api/exports", () => new Answer(200, "Name"));
  renderApp(<ListMenu list={list("customer")} />);
  const sent = async (choose?: (dialog: HTMLElement) => Promise<void>) => {
    const before = server.sent("GET /api/exports").length;
    const dialog = await open();
    await choose?.(dialog);
    await userEvent.click(within(dialog).getByRole("button", { name: "Export" }));
    await waitFor(() => expect(server.sent("GET /api/exports")).toHaveLength(before + 1));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    return server.sent("GET /api/exports").at(-1)?.query.get("delimiter");
  };
  expect(await sent()).toBe("comma");
  setRegion({ ...mira.region, phoneCountry: "ES" });
  expect(await sent()).toBe("semicolon");
  expect(
    await sent(async (dialog) => {
      await userEvent.click(within(dialog).getByRole("button", { name: /Delimiter/ }));
      await userEvent.click(await screen.findByRole("option", { name: "Tab" }));
    }),
  ).toBe("tab");
  expect(await sent((dialog) => userEvent.click(within(dialog).getByRole("radio", { name: "JSON" })))).toBeNull();
  setRegion(undefined);
});

test("a file has the name that the server gives it", async () => {
  accept({ ...signedIn(), user: { ...mira, permissions: ["customers.read"] } });
  const names: string[] = [];
  vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (this: HTMLAnchorElement) {
    names.push(this.download);
  });
  renderApp(<ListMenu list={list("customer")} />);
  for (const header of [
    "attachment; filename=\"x.csv\"; filename*=UTF-8''Pe%C3%B1a%202026-11-27.csv",
    "attachment; filename*=UTF-8''%E0",
  ]) {
    server.on("GET /api/exports", () => new Answer(200, "Name", { "Content-Disposition": header }));
    const dialog = await open();
    await userEvent.click(within(dialog).getByRole("button", { name: "Export" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  }
  expect(names).toEqual(["Peña 2026-11-27.csv", "Export.csv"]);
});

test("exports only the shown columns after the name, and says that such a file is for reading", async () => {
  accept({ ...signedIn(), user: { ...mira, permissions: ["customers.read"] } });
  vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(() => undefined);
  server.on("GET /api/exports", () => new Answer(409, { error: { code: "conflict", message: "Not now." } }));
  renderApp(<ListMenu list={list("customer")} />);
  const dialog = await open();
  const choice = within(dialog).getByRole("radio", { name: "Chosen columns" });
  expect(choice).toHaveAccessibleDescription(/^Name, status, email\. For reading/);
  await userEvent.click(choice);
  await userEvent.click(within(dialog).getByRole("button", { name: "Export" }));
  expect(await within(dialog).findByText("Not now.")).toBeVisible();
  expect(server.sent("GET /api/exports").at(-1)?.query.getAll("columns")).toEqual(["name", "status", "email"]);
  await userEvent.click(within(dialog).getByRole("radio", { name: "JSON" }));
  expect(within(dialog).queryByRole("radio", { name: "Chosen columns" }), "JSON is always whole").toBeNull();
});

test("kinds without files have neither import nor export", async () => {
  accept({ ...signedIn(), user: { ...mira, permissions: ["pages.write"] } });
  renderApp(<ListMenu list={list("page")} />);
  await userEvent.click(screen.getByRole("button", { name: "More actions" }));
  expect(screen.getAllByRole("menuitem").map(({ textContent }) => textContent)).toEqual(["Recent bulk changes…", "Print"]);
});

test("a bulk change is found again with who made it, and undone", async () => {
  accept({ ...signedIn(), user: { ...mira, permissions: ["customers.read", "customers.write"] } });
  const change = (id: string, more: object) => ({
    id,
    createdAt: "2026-11-01T10:00:00Z",
    createdBy: "u2",
    kind: "customers",
    remove: false,
    state: "done",
    total: 30,
    done: 30,
    changed: 30,
    skipped: 0,
    skips: [],
    undone: 0,
    undoSkipped: 0,
    undoSkips: [],
    ...more,
  });
  const old = change("b2", { remove: true, changed: 1, state: "undone", undone: 1 });
  let first = change("b1", {});
  server.on("GET /api/team", () => ({ items: [{ id: "u2", name: "Ben Otieno" }], total: 1 }));
  server.on("GET /api/bulk", () => ({ items: [first, old], total: 2 }));
  server.on("POST /api/bulk/b1/undo", () => {
    first = change("b1", { state: "undone", undone: 30 });
    return new Answer(202, first);
  });
  renderApp(<ListMenu list={list("customer")} />);
  await userEvent.click(screen.getByRole("button", { name: "More actions" }));
  await userEvent.click(screen.getByRole("menuitem", { name: "Recent bulk changes…" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Recent bulk changes" }));
  expect(await dialog.findByText("Ben Otieno deleted 1 record")).toBeVisible();
  expect(server.sent("GET /api/bulk")[0]?.query.get("kind")).toBe("customers");
  await userEvent.click(dialog.getByRole("button", { name: "Undo: Ben Otieno changed 30 records" }));
  await waitFor(() => expect(server.sent("POST /api/bulk/b1/undo")).toHaveLength(1));
  await waitFor(() => expect(dialog.queryByRole("button", { name: /^Undo/ })).toBeNull());
  expect(dialog.getAllByText(/Undone/)).toHaveLength(2);
});

test("what could not be undone is said with its reasons, and tried again", async () => {
  accept({ ...signedIn(), user: { ...mira, permissions: ["customers.read", "customers.write"] } });
  const skips = ["conflict", "conflict", "stale_version", "forbidden"].map((reason, n) => ({ id: `c${n}`, reason }));
  const change = {
    id: "b1",
    createdAt: "2026-11-01T10:00:00Z",
    createdBy: "u2",
    kind: "customers",
    remove: true,
    state: "undone",
    total: 30,
    done: 30,
    changed: 30,
    skipped: 0,
    skips: [],
    undone: 26,
    undoSkipped: 4,
    undoSkips: skips,
  };
  let now = change;
  server.on("GET /api/team", () => ({ items: [{ id: "u2", name: "Ben Otieno" }], total: 1 }));
  server.on("GET /api/bulk", () => ({ items: [now], total: 1 }));
  server.on("POST /api/bulk/b1/undo", () => {
    now = { ...change, undone: 30, undoSkipped: 0, undoSkips: [] };
    return new Answer(202, now);
  });
  renderApp(<ListMenu list={list("customer")} />);
  await userEvent.click(screen.getByRole("button", { name: "More actions" }));
  await userEvent.click(screen.getByRole("menuitem", { name: "Recent bulk changes…" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Recent bulk changes" }));
  expect(
    await dialog.findByText(
      "2 stay as they are: other records now have their IDs or other values that only one may have. 1 has been changed since and stays as it is. 1 couldn’t be put back.",
    ),
  ).toBeVisible();
  await userEvent.click(dialog.getByRole("button", { name: "Try again: Ben Otieno deleted 30 records" }));
  await waitFor(() => expect(server.sent("POST /api/bulk/b1/undo")).toHaveLength(1));
  await waitFor(() => expect(dialog.queryByText(/other records now have/)).toBeNull());
});
