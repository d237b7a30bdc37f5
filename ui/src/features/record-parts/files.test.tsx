import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";
import type { RecordFile } from "@/api/schema";
import { accept } from "@/api/session";
import { FileViewer } from "@/features/content/file-viewer";
import { fileSize } from "@/lib/file-size";
import { useToasts } from "@/lib/toast";
import { setTimeZone } from "@/lib/zone";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { Answer, standInServer } from "@/test/server";
import { Files } from "./files";

const server = standInServer();
const path = "/api/tasks/t1/files";
const file = (id: string, name: string, mediaType: string): RecordFile => ({
  id,
  file: { path: `/media/${id}`, name, size: 2_048, mediaType },
  createdAt: "2026-11-01T10:00:00Z",
  createdBy: mira.id,
});

let files: RecordFile[];

beforeEach(() => {
  setTimeZone("UTC");
  useToasts.setState({ toasts: [] });
  accept({ ...signedIn(), user: { ...mira, permissions: ["tasks.write"] } });
  files = [file("f2", "label.png", "image/png"), file("f1", "plan.pdf", "application/pdf")];
  server.on("GET /api/team", () => ({ items: [{ id: mira.id, name: mira.name }], total: 1 }));
  server.on(`GET ${path}`, () => ({ items: files, total: files.length }));
});

const show = () =>
  renderApp(
    <FileViewer>
      <Files kind="task" id="t1" />
    </FileViewer>,
  );

test("shows pictures and PDFs and downloads others, with size, author and day", async () => {
  files = [...files, file("f0", "list.csv", "text/csv")];
  show();
  const list = await screen.findByRole("link", { name: /list\.csv/ });
  expect(list).toHaveAttribute("download", "list.csv");
  await waitFor(() => expect(list).toHaveTextContent(`${fileSize(2_048)} · ${mira.name} · Nov 1, 2026`));
  expect(screen.getByRole("button", { name: /^Open plan\.pdf/ })).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: /^Open label\.png/ }));
  expect(await screen.findByRole("dialog")).toBeVisible();
});

test("a removed file can be brought back", async () => {
  server.on(`DELETE ${path}/f1`, () => {
    files = files.filter(({ id }) => id !== "f1");
    return new Answer(204);
  });
  server.on(`POST ${path}`, ({ body }) => {
    const added = { ...file("f3", "plan.pdf", "application/pdf"), file: { ...file("f1", "plan.pdf", "application/pdf").file } };
    expect(body).toEqual({ path: "/media/f1" });
    files = [added, ...files];
    return added;
  });
  show();
  const row = (await screen.findByText("plan.pdf")).closest("li") as HTMLElement;
  await userEvent.click(within(row).getByRole("button", { name: "Remove plan.pdf" }));
  await waitFor(() => expect(useToasts.getState().toasts).toHaveLength(1));
  expect(screen.queryByText("plan.pdf")).toBeNull();
  useToasts.getState().toasts[0]?.action?.run();
  expect(await screen.findByText("plan.pdf")).toBeVisible();
});

test("who may not change the record only reads, and sees nothing when there are no files", async () => {
  accept({ ...signedIn(), user: { ...mira, permissions: [] } });
  const { unmount } = show();
  expect(await screen.findByText("plan.pdf")).toBeVisible();
  expect(screen.queryByRole("button", { name: /Add file|Remove/ })).toBeNull();
  unmount();
  files = [];
  show();
  await waitFor(() => expect(server.sent(`GET ${path}`).length).toBeGreaterThan(0));
  expect(screen.queryByRole("heading", { name: "Files" })).toBeNull();
});
