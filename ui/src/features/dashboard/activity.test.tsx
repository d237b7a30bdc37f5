import { act, screen } from "@testing-library/react";
import i18n from "i18next";
import { beforeEach, expect, it } from "vitest";
import { accept } from "@/api/session";
import { signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import es from "../../../../i18n/es.json";
import { RecentActivity } from "./activity";

type Item = Parameters<typeof RecentActivity>[0]["items"][number];

beforeEach(() => accept(signedIn()));

const item = (op: Item["op"], more: Partial<Item>): Item => ({
  id: "7",
  at: "2026-11-21T09:30:00.000Z",
  actor: { name: "Nora" },
  kind: "customer",
  recordId: "019a9c3e-7b1f-7c52-9b0e-3d0c5a7f1e20",
  title: "Ana",
  op,
  ...more,
});

// One line for each act, with its own verb: what undo restored was "added", joining "changed the details of", and an
// import a line for each record (F-U3).
it.each([
  [item("imported", { title: "people.csv", count: 65 }), "Nora imported 65 customers"],
  [item("imported", { title: "people.csv", count: 1 }), "Nora imported 1 customer"],
  [item("importUndone", { title: "people.csv", count: 65 }), "Nora undid the import of 65 customers"],
  [item("bulkRemoved", { kind: "deal", title: "", count: 12 }), "Nora deleted 12 deals"],
  [item("bulkRemovalUndone", { kind: "deal", title: "", count: 12 }), "Nora restored 12 deals"],
  [item("bulkChanged", { kind: "task", title: "", count: 3 }), "Nora changed 3 tasks"],
  // The reader may not see all of them, and so not know their number.
  [item("bulkChanged", { kind: "task", title: "" }), "Nora changed tasks"],
  [item("bulkRemovalUndone", { kind: "page", title: "" }), "Nora restored pages"],
  [item("sampleAdded", { title: "", count: 30 }), "Nora added sample data"],
  [item("merged", { count: 1 }), "Nora merged a duplicate into Ana"],
  [item("tagRemoved", { title: "vip", count: 3 }), "Nora removed the tag vip everywhere"],
  [item("restored", { link: "/customers/1" }), "Nora restored the customer Ana"],
  [item("joined", { kind: "member", title: "Nora" }), "Nora joined the team"],
])("says what was done: %#", async (one, text) => {
  renderApp(<RecentActivity items={[one]} />, { path: "/dashboard" });
  expect((await screen.findByRole("listitem")).querySelector("p")).toHaveTextContent(text);
});

it("says it in Spanish", async () => {
  i18n.addResourceBundle("es", "translation", es, true, true);
  await i18n.changeLanguage("es");
  renderApp(<RecentActivity items={[item("imported", { count: 65 })]} />, { path: "/dashboard" });
  expect((await screen.findByRole("listitem")).querySelector("p")).toHaveTextContent("Nora importó 65 clientes");
  await act(() => i18n.changeLanguage("en"));
});
