import { QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter } from "react-router";
import { beforeEach, expect, it } from "vitest";
import { queryClient } from "@/api/query";
import type { Tag, TagChange } from "@/api/schema";
import { accept } from "@/api/session";
import { Toaster } from "@/components/toaster";
import { useToasts } from "@/lib/toast";
import { mira, signedIn } from "@/test/people";
import { Answer, standInServer } from "@/test/server";
import { useLastTagChange } from "./data";
import { TagsSection } from "./tags-section";

const server = standInServer();
const tag = (name: string, customers: number, tasks = 0): Tag => ({
  tag: name,
  records: customers + tasks,
  kinds: [
    ...(tasks > 0 ? [{ kind: "tasks" as const, records: tasks }] : []),
    ...(customers > 0 ? [{ kind: "customers" as const, records: customers }] : []),
  ],
});
const change: TagChange = {
  id: "x1",
  createdAt: new Date().toISOString(),
  from: "hotel",
  to: "hotels",
  state: "done",
  total: 12,
  changed: 12,
  skipped: 0,
  undone: 0,
  undoSkipped: 0,
  undoSkips: [],
};
let tags: Tag[];

beforeEach(() => {
  queryClient.clear();
  localStorage.clear();
  useLastTagChange.setState({ id: undefined });
  useToasts.setState({ toasts: [] });
  accept({ ...signedIn(), user: { ...mira, permissions: ["settings.company"] } });
  tags = [{ ...tag("hotel", 10, 2), color: "teal" }, tag("hotels", 7), tag("vip", 1), { ...tag("old", 0), color: "red" }];
  server.on("GET /api/tags", () => ({ items: tags, total: tags.length }));
});

const show = () =>
  render(
    <QueryClientProvider client={queryClient}>
      <MemoryRouter>
        <TagsSection />
        <Toaster />
      </MemoryRouter>
    </QueryClientProvider>,
  );
const row = async (name: string) => {
  const box = await screen.findByRole("checkbox", { name: `Select ${name}` });
  return within(box.closest("li") as HTMLElement);
};
const press = async (name: string) => userEvent.click(await screen.findByRole("button", { name }));

it("shows the records of each kind, which lead to the filtered lists, and finds tags", async () => {
  show();
  const hotel = await row("hotel");
  expect(hotel.getAllByRole("link").map((link) => [link.textContent, link.getAttribute("href")])).toEqual([
    ["10 people", "/customers?filter=tags%3Ais%3Ahotel"],
    ["2 tasks", "/tasks?filter=tags%3Ais%3Ahotel"],
  ]);
  expect((await row("old")).getByText("Not on any record")).toBeVisible();
  await userEvent.type(screen.getByRole("searchbox", { name: "Search tags" }), "vip");
  expect(screen.getAllByRole("listitem")).toHaveLength(1);
});

it("gives a tag a color, and takes it away", async () => {
  server.on("PATCH /api/tags", ({ body }) => body);
  show();
  await press("Color of “vip”: No color");
  await userEvent.click(await screen.findByRole("radio", { name: "Purple" }));
  await waitFor(() => expect(server.sent("PATCH /api/tags")[0]?.body).toEqual({ tag: "vip", color: "purple" }));
  await press("Color of “hotel”: Teal");
  await userEvent.click(await screen.findByRole("radio", { name: "No color" }));
  await waitFor(() => expect(server.sent("PATCH /api/tags")[1]?.body).toEqual({ tag: "hotel", color: null }));
});

it("says before a rename that it merges, and undoes it from the page", async () => {
  server.on("POST /api/tags/rename", () => new Answer(202, change));
  server.on("POST /api/tags/changes/x1/undo", () => new Answer(202, { ...change, state: "undone", undone: 11 }));
  show();
  await press("Rename “hotel”");
  const name = await screen.findByRole("textbox", { name: "New name" });
  await userEvent.clear(name);
  await userEvent.type(name, "Inn");
  expect(screen.getByText("The new name appears on 12 records. You can undo this for 30 days.")).toBeVisible();
  await userEvent.clear(name);
  await userEvent.type(name, "Hotels ");
  expect(
    await screen.findByText(/“hotels” already exists, on 7 records. “hotel” is on 12 records and becomes “hotels” there/),
  ).toBeVisible();
  await press("Merge tags");
  await waitFor(() => expect(server.sent("POST /api/tags/rename")[0]?.body).toEqual({ from: "hotel", to: "hotels" }));
  const toaster = within(screen.getByRole("region", { name: "Messages from the application" }));
  expect(await toaster.findByText("“hotel” is now “hotels”.")).toBeVisible();
  const [undo] = screen.getAllByRole("button", { name: "Undo" });
  await userEvent.click(undo as HTMLElement);
  expect(await toaster.findByText("11 records are as before. 1 has been changed since and stays as it is.")).toBeVisible();
  expect(server.sent("POST /api/tags/changes/x1/undo")).toHaveLength(1);
});

it("shows how far a change is", async () => {
  let state: TagChange = { ...change, state: "running", changed: 3 };
  server.on("POST /api/tags/remove", () => new Answer(202, { ...state, to: undefined }));
  server.on("GET /api/tags/changes/x1", () => ({ ...state, to: undefined }));
  show();
  await press("Remove “hotel”");
  expect(await screen.findByText("The tag is removed from 12 records. You can undo this for 30 days.")).toBeVisible();
  await press("Remove tag");
  expect(await screen.findByRole("progressbar", { name: "Removing “hotel”…" })).toHaveAttribute("aria-valuetext", "3 of 12");
  state = change;
  await waitFor(() => expect(screen.queryByRole("progressbar")).toBeNull());
  expect(screen.getAllByText("“hotel” was removed.").length).toBeGreaterThan(0);
});

it("says that another change is running", async () => {
  server.on("POST /api/tags/rename", () => new Answer(409, { error: { code: "conflict", message: "Conflict" } }));
  show();
  await press("Rename “vip”");
  await userEvent.type(await screen.findByRole("textbox", { name: "New name" }), "s");
  await press("Rename tag");
  expect(await screen.findByText("Another tag is being changed. Try again when that is done.")).toBeVisible();
  expect(screen.getByRole("dialog")).toBeVisible();
});

it("keeps the focus on the tag that took the place of another one, wherever its row is then", async () => {
  server.on("POST /api/tags/rename", () => {
    tags = [tag("hotels", 19), tag("vip", 1)];
    return new Answer(202, change);
  });
  show();
  await press("Rename “hotel”");
  const name = await screen.findByRole("textbox", { name: "New name" });
  await userEvent.clear(name);
  await userEvent.type(name, "hotels{Enter}");
  await waitFor(() => expect(screen.queryByRole("button", { name: "Rename “hotel”" })).toBeNull());
  await waitFor(() => expect(screen.getByRole("button", { name: "Rename “hotels”" })).toHaveFocus());
});

it("merges several tags into one of them, one after another", async () => {
  server.on("POST /api/tags/rename", () => new Answer(202, change));
  show();
  for (const name of ["hotel", "hotels", "vip"]) await userEvent.click(await screen.findByRole("checkbox", { name: `Select ${name}` }));
  await press("Merge…");
  await userEvent.click(await screen.findByRole("button", { name: /Tag that stays/ }));
  await userEvent.click(await screen.findByRole("option", { name: "hotels (7 records)" }));
  await press("Merge tags");
  expect(await screen.findByText("2 tags are now “hotels”.")).toBeVisible();
  expect(server.sent("POST /api/tags/rename").map(({ body }) => body)).toEqual([
    { from: "hotel", to: "hotels" },
    { from: "vip", to: "hotels" },
  ]);
});
