import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test } from "vitest";
import type { KnowledgePage } from "@/api/schema";
import { setSingleKeys } from "@/lib/keys";
import { renderApp } from "@/test/render";
import { PageTree } from "./page-tree";

const make = (id: string, title: string): KnowledgePage => ({
  id,
  title,
  version: 1,
  createdAt: "2026-11-01T10:00:00Z",
  updatedAt: "2026-11-01T10:00:00Z",
  order: Number(id),
  status: "published",
  visibility: { to: "company", people: [] },
  limited: false,
  fields: {},
});

afterEach(() => setSingleKeys(true));

test("letters lead to pages in the tree only when they are no shortcuts", async () => {
  renderApp(<PageTree pages={[make("1", "Handbook"), make("2", "Notes")]} current={undefined} />);
  const row = (name: string) => screen.getByRole("row", { name: new RegExp(name) });
  await userEvent.tab();
  await userEvent.keyboard("n");
  expect(row("Handbook")).toHaveFocus();
  setSingleKeys(false);
  await screen.findByRole("treegrid");
  await userEvent.keyboard("n");
  expect(row("Notes")).toHaveFocus();
});
