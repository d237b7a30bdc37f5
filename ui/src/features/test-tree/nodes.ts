import type { ParseKeys } from "i18next";
import type { TreeNode } from "./selection";

/** The demo tree of the specification; labels are translation keys. */
const key = (name: string) => `ui.test.nodes.${name}` as ParseKeys;

export const nodes: TreeNode[] = [
  {
    key: "0",
    label: key("documents"),
    data: key("documents"),
    icon: "inbox",
    children: [
      {
        key: "0-0",
        label: key("work"),
        data: key("work"),
        icon: "briefcase",
        children: [
          { key: "0-0-0", label: key("expenses"), data: key("expenses"), icon: "file-text" },
          { key: "0-0-1", label: key("resume"), data: key("resume"), icon: "file-text" },
        ],
      },
      {
        key: "0-1",
        label: key("home"),
        data: key("home"),
        icon: "house",
        children: [{ key: "0-1-0", label: key("invoices"), data: key("invoices"), icon: "file-text" }],
      },
    ],
  },
  {
    key: "1",
    label: key("events"),
    data: key("events"),
    icon: "calendar-days",
    children: [
      { key: "1-0", label: key("meeting"), data: key("meeting"), icon: "users" },
      { key: "1-1", label: key("launch"), data: key("launch"), icon: "rocket" },
      { key: "1-2", label: key("review"), data: key("review"), icon: "file-check-2" },
    ],
  },
  {
    key: "2",
    label: key("films"),
    data: key("films"),
    icon: "star",
    children: [
      {
        key: "2-0",
        label: key("classics"),
        data: key("classics"),
        icon: "star",
        children: [
          { key: "2-0-0", label: key("metropolis"), data: key("metropolis"), icon: "sparkles" },
          { key: "2-0-1", label: key("nosferatu"), data: key("nosferatu"), icon: "sparkles" },
        ],
      },
      {
        key: "2-1",
        label: key("comedies"),
        data: key("comedies"),
        icon: "star",
        children: [
          { key: "2-1-0", label: key("theKid"), data: key("theKid"), icon: "sparkles" },
          { key: "2-1-1", label: key("theGeneral"), data: key("theGeneral"), icon: "sparkles" },
        ],
      },
    ],
  },
];

export const preselected = ["0-0-0", "2-0-0", "2-0-1", "2-1-0", "2-1-1"];
