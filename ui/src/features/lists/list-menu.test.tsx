import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { accept } from "@/api/session";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { Answer, standInServer } from "@/test/server";
import { ListMenu } from "./list-menu";
import type { AnyList } from "./use-list";

const server = standInServer();
const list = (kind: AnyList["kind"]) =>
  ({ kind, request: { q: "ana", filter: ["status:is:lead", "tags:is:a\\,b"], sort: "name" } }) as unknown as AnyList;

test("exports the list with its filters, people as vCards, too", async () => {
  accept({ ...signedIn(), user: { ...mira, permissions: ["customers.read"] } });
  const clicked = vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(() => undefined);
  server.on("GET /api/exports", () => new Answer(200, "Name"));
  renderApp(<ListMenu list={list("customer")} />);
  for (const [item, format] of [
    ["Export as CSV", "csv"],
    ["Export as vCards", "vcard"],
  ]) {
    await userEvent.click(screen.getByRole("button", { name: "More actions" }));
    expect(screen.queryByRole("menuitem", { name: "Import…" }), "without the right to write").toBeNull();
    await userEvent.click(screen.getByRole("menuitem", { name: item as string }));
    await waitFor(() => expect(server.sent("GET /api/exports").at(-1)?.query.get("format")).toBe(format));
    const { query } = server.sent("GET /api/exports").at(-1) ?? {};
    expect([query?.get("kind"), query?.get("q"), query?.getAll("filter")]).toEqual([
      "customers",
      "ana",
      ["status:is:lead", "tags:is:a\\,b"],
    ]);
  }
  await waitFor(() => expect(clicked).toHaveBeenCalledTimes(2));
});

test("kinds without files have neither import nor export", async () => {
  accept({ ...signedIn(), user: { ...mira, permissions: ["pages.write"] } });
  renderApp(<ListMenu list={list("page")} />);
  await userEvent.click(screen.getByRole("button", { name: "More actions" }));
  expect(screen.getAllByRole("menuitem").map(({ textContent }) => textContent)).toEqual(["Print"]);
});
