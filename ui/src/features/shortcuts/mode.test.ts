import { expect, it } from "vitest";
import type { Shortcut } from "@/api/schema";
import { type Mode, type Step, step } from "./mode";

const shortcut: Shortcut = { id: "1", label: "Tasks", icon: "star", link: "/tasks", useRouter: true };
const edit: Step = { type: "edit", shortcut };

it.each<[Mode["name"], Step, Mode["name"]]>([
  ["view", { type: "modify" }, "modify"],
  ["view", { type: "add" }, "add"],
  ["view", edit, "view"],
  ["view", { type: "done" }, "view"],
  ["view", { type: "saved" }, "view"],
  ["modify", edit, "edit"],
  ["modify", { type: "done" }, "view"],
  ["modify", { type: "add" }, "modify"],
  ["modify", { type: "cancel" }, "modify"],
  ["add", { type: "cancel" }, "view"],
  ["add", { type: "saved" }, "modify"],
  ["add", { type: "done" }, "add"],
  ["edit", { type: "cancel" }, "modify"],
  ["edit", { type: "saved" }, "modify"],
  ["edit", { type: "modify" }, "edit"],
])("from %s by %o to %s", (from, action, to) => {
  const mode: Mode = from === "edit" ? { name: "edit", shortcut } : { name: from };
  expect(step(mode, action).name).toBe(to);
});
