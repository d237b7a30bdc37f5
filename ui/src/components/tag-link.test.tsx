import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { TagFilterContext } from "@/records/tags";
import { renderApp } from "@/test/render";
import { standInServer } from "@/test/server";
import { TagList } from "./tag-list";
import { TagsField } from "./tags-field";

const server = standInServer();
const kinds = [{ kind: "customers", records: 3 }];

it("a tag shows its color and leads to the list of its kind", async () => {
  server.on("GET /api/tags", () => ({ items: [{ tag: "fair, 2026", color: "teal", records: 3, kinds }], total: 1 }));
  renderApp(<TagList kind="deal" tags={["fair, 2026", "vip"]} />);
  const link = screen.getByRole("link", { name: "fair, 2026" });
  expect(new URLSearchParams(link.getAttribute("href")?.split("?")[1]).get("filter")).toBe("tags:is:fair\\, 2026");
  await vi.waitFor(() => expect(link.getAttribute("style")).toContain("color"));
  expect(screen.getByRole("link", { name: "vip" })).not.toHaveAttribute("style");
});

it("in a list, a tag filters the list", async () => {
  const filter = vi.fn();
  renderApp(
    <TagFilterContext value={filter}>
      <TagList kind="customer" tags={["vip"]} />
    </TagFilterContext>,
  );
  await userEvent.click(screen.getByRole("button", { name: "vip" }));
  expect(filter).toHaveBeenCalledWith("vip");
});

it("the tags of the company are suggested, the most used first", async () => {
  server.on("GET /api/tags", () => ({ items: ["wholesale", "vip"].map((tag) => ({ tag, records: 1, kinds })), total: 2 }));
  const change = vi.fn();
  renderApp(<TagsField label="Tags" value={["vip"]} onChange={change} />);
  await userEvent.click(screen.getByRole("textbox", { name: "Tags" }));
  await userEvent.click(await screen.findByRole("button", { name: "Add tag wholesale" }));
  expect(change).toHaveBeenCalledWith(["vip", "wholesale"]);
});
