import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";
import type { RecordLink } from "@/api/schema";
import { accept } from "@/api/session";
import { useToasts } from "@/lib/toast";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { Answer, standInServer } from "@/test/server";
import { Links } from "./links";

const server = standInServer();
const path = "/api/tasks/t1/links";
const link = (id: string, title: string): RecordLink => ({
  id,
  createdAt: "2026-11-01T10:00:00Z",
  createdBy: mira.id,
  kind: "customer",
  recordId: `c-${id}`,
  card: { title, subtitle: "Kanarium AG", link: `/customers/c-${id}` },
});

let links: RecordLink[];

beforeEach(() => {
  useToasts.setState({ toasts: [] });
  accept({ ...signedIn(), user: { ...mira, permissions: ["tasks.write"] } });
  links = [link("l1", "Kanarium")];
  server.on(`GET ${path}`, () => ({ items: links, total: links.length }));
});

const show = () => renderApp(<Links kind="task" id="t1" />);

test("shows the linked records, and links another that was searched for", async () => {
  server.on("GET /api/customers", () => ({ items: [{ id: "c-l2", name: "Brightwater", details: {} }], total: 1 }));
  server.on(`POST ${path}`, ({ body }) => {
    expect(body).toEqual({ kind: "customer", recordId: "c-l2" });
    links = [link("l2", "Brightwater"), ...links];
    return links[0];
  });
  show();
  const first = await screen.findByRole("link", { name: /Kanarium/ });
  expect(first).toHaveAttribute("href", "/customers/c-l1");
  expect(first).toHaveTextContent("Customer · Kanarium AG");
  await userEvent.click(screen.getByRole("button", { name: "Link a record" }));
  await userEvent.type(await screen.findByRole("combobox", { name: "Customer" }), "Bright");
  await userEvent.click(await screen.findByRole("option", { name: "Brightwater" }));
  expect(await screen.findByRole("link", { name: /Brightwater/ })).toBeVisible();
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("a removed link can be brought back", async () => {
  server.on(`DELETE ${path}/l1`, () => {
    links = [];
    return new Answer(204);
  });
  server.on(`POST ${path}`, () => {
    links = [link("l3", "Kanarium")];
    return links[0];
  });
  show();
  await userEvent.click(await screen.findByRole("button", { name: "Remove the link to Kanarium" }));
  await waitFor(() => expect(useToasts.getState().toasts).toHaveLength(1));
  expect(screen.queryByRole("link", { name: /Kanarium/ })).toBeNull();
  useToasts.getState().toasts[0]?.action?.run();
  expect(await screen.findByRole("link", { name: /Kanarium/ })).toBeVisible();
});

test("who may not change the record sees no empty section and no buttons", async () => {
  accept({ ...signedIn(), user: { ...mira, permissions: [] } });
  show();
  expect(await screen.findByRole("link", { name: /Kanarium/ })).toBeVisible();
  expect(screen.queryByRole("button")).toBeNull();
});
