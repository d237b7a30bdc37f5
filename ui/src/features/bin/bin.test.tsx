import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";
import type { BinnedRecord, Permission } from "@/api/schema";
import { accept } from "@/api/session";
import { Toaster } from "@/components/toaster";
import { useRemove } from "@/records/use-remove";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { Answer, standInServer } from "@/test/server";
import { BinSection } from "./bin-section";

const server = standInServer();
const lease: BinnedRecord = {
  id: "t1",
  kind: "task",
  title: "Renew the lease",
  removedAt: "2026-11-20T10:00:00Z",
  removedBy: mira.id,
  purgedAt: "2026-12-20T10:00:00Z",
};

const signIn = (permissions: Permission[]) => accept({ ...signedIn(), user: { ...mira, permissions } });

beforeEach(() => {
  server.on("GET /api/team", () => ({ items: [{ id: mira.id, name: "Mira" }], total: 1 }));
  server.on("GET /api/bin", () => ({ items: [lease], total: 1 }));
  server.on("POST /api/bin/t1/restore", () => ({ id: "t1", kind: "task", link: "/tasks/t1" }));
});

function RemoveButton() {
  const { mutate } = useRemove("task");
  return <button type="button" aria-label="Remove it" onClick={() => mutate({ id: "t1", title: "Renew the lease" })} />;
}

test("a record goes to the bin at once, and Undo takes it out", async () => {
  signIn(["tasks.write"]);
  server.on("DELETE /api/tasks/t1", () => new Answer(204));
  renderApp(
    <>
      <RemoveButton />
      <Toaster />
    </>,
  );
  await userEvent.click(screen.getByRole("button", { name: "Remove it" }));
  expect(await screen.findByText("“Renew the lease” is in the trash.")).toBeVisible();
  expect(server.sent("DELETE /api/tasks/t1")).toHaveLength(1);
  await userEvent.click(screen.getByRole("button", { name: "Undo" }));
  await waitFor(() => expect(server.sent("POST /api/bin/t1/restore")).toHaveLength(1));
});

test("a member sees what they deleted and restores it, and may not delete it for good", async () => {
  signIn(["tasks.write"]);
  renderApp(
    <>
      <BinSection />
      <Toaster />
    </>,
  );
  const row = (await screen.findByText("Renew the lease")).closest("li") as HTMLElement;
  expect(row).toHaveTextContent("Task");
  await waitFor(() => expect(row).toHaveTextContent(/Deleted by Mira .* · kept until Dec 20, 2026/));
  expect(screen.queryByRole("button", { name: /for good|Empty trash/ })).toBeNull();
  server.on("GET /api/bin", () => ({ items: [], total: 0 }));
  await userEvent.click(within(row).getByRole("button", { name: "Restore" }));
  expect(await screen.findByText("The trash is empty")).toBeVisible();
  expect(screen.getByText("“Renew the lease” is back.")).toBeVisible();
});

test("an administrator deletes for good only after confirming", async () => {
  signIn(["tasks.write", "bin.empty"]);
  server.on("DELETE /api/bin/t1", () => new Answer(204));
  server.on("DELETE /api/bin", () => new Answer(204));
  renderApp(<BinSection />);
  await userEvent.click(await screen.findByRole("button", { name: "Delete “Renew the lease” for good" }));
  const dialog = await screen.findByRole("alertdialog");
  expect(server.sent("DELETE /api/bin/t1")).toHaveLength(0);
  await userEvent.click(within(dialog).getByRole("button", { name: "Delete" }));
  await waitFor(() => expect(server.sent("DELETE /api/bin/t1")).toHaveLength(1));
  await userEvent.click(screen.getByRole("button", { name: "Empty trash" }));
  await userEvent.click(within(await screen.findByRole("alertdialog")).getByRole("button", { name: "Delete" }));
  await waitFor(() => expect(server.sent("DELETE /api/bin")).toHaveLength(1));
});

test("an administrator deletes all data of a person, and reads what stays otherwise", async () => {
  const ana: BinnedRecord = { ...lease, id: "c1", kind: "customer", title: "Ana López" };
  const { removedBy: _, ...byRetention } = ana;
  const ben: BinnedRecord = { ...byRetention, id: "c2", title: "Ben", retentionMonths: 24 };
  signIn(["customers.write", "bin.empty"]);
  server.on("GET /api/bin", () => ({ items: [ana, ben, lease], total: 3 }));
  server.on("POST /api/customers/c1/erasure", () => new Answer(204));
  renderApp(<BinSection />);
  const row = (await screen.findByText("Ben")).closest("li") as HTMLElement;
  expect(row).toHaveTextContent("Retention: no contact or change for 24 months");
  expect(row).toHaveTextContent("all data is deleted on Dec 20, 2026");
  expect(screen.getAllByRole("button", { name: /^Delete all data of/ })).toHaveLength(2);
  for (const [title, text] of [
    ["Ana López", /The name stays in the audit log/],
    ["Ben", /also the name in the audit log/],
    ["Renew the lease", /^This cannot be undone/],
  ] as const) {
    await userEvent.click(screen.getByRole("button", { name: `Delete “${title}” for good` }));
    const dialog = within(await screen.findByRole("alertdialog"));
    expect(dialog.getByText(text)).toBeVisible();
    await userEvent.click(dialog.getByRole("button", { name: "Cancel" }));
    await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
  }
  await userEvent.click(screen.getByRole("button", { name: "Delete all data of “Ana López”…" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Delete all data of Ana López?" }));
  await userEvent.type(dialog.getByRole("textbox"), "ana lopez{Enter}");
  await waitFor(() => expect(server.sent("POST /api/customers/c1/erasure").map(({ body }) => body)).toEqual([{ name: "Ana López" }]));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});

test("the trash is searched by name and filtered by kind and by who deleted, in the address, and says that nothing is found", async () => {
  signIn(["tasks.write", "bin.empty"]);
  server.on("GET /api/bin", ({ query }) => (query.get("q") === "nothing" ? { items: [], total: 0 } : { items: [lease], total: 1 }));
  const { router } = renderApp(<BinSection />);
  await userEvent.type(await screen.findByRole("searchbox", { name: "Search trash by name" }), "lease");
  await waitFor(() => expect(router.state.location.search).toBe("?q=lease"));
  await userEvent.click(screen.getByRole("button", { name: "Kind" }));
  await userEvent.click(await screen.findByRole("menuitemradio", { name: "Task" }));
  await userEvent.click(screen.getByRole("button", { name: "Deleted by" }));
  await userEvent.click(await screen.findByRole("menuitemradio", { name: "Mira" }));
  await waitFor(() => {
    const { query } = server.sent("GET /api/bin").at(-1) ?? {};
    expect([query?.get("q"), query?.get("kind"), query?.get("removedBy")]).toEqual(["lease", "task", mira.id]);
  });
  await userEvent.clear(screen.getByRole("searchbox"));
  await userEvent.type(screen.getByRole("searchbox"), "nothing");
  expect(await screen.findByText("No matches")).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Clear filters" }));
  expect(await screen.findByText("Renew the lease")).toBeVisible();
  expect(router.state.location.search).toBe("");
});
