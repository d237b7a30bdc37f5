import type { Shortcut } from "@/api/schema";

/** The panel's modes: view, choose one to change, add, edit. */
export type Mode = { name: "view" } | { name: "modify" } | { name: "add" } | { name: "edit"; shortcut: Shortcut };

export type Step =
  | { type: "modify" }
  | { type: "add" }
  | { type: "edit"; shortcut: Shortcut }
  | { type: "done" }
  | { type: "cancel" }
  | { type: "saved" };

/** The transitions of the specification; a step that does not apply changes nothing. */
export function step(mode: Mode, action: Step): Mode {
  switch (action.type) {
    case "modify":
      return mode.name === "view" ? { name: "modify" } : mode;
    case "add":
      return mode.name === "view" ? { name: "add" } : mode;
    case "edit":
      return mode.name === "modify" ? { name: "edit", shortcut: action.shortcut } : mode;
    case "done":
      return mode.name === "modify" ? { name: "view" } : mode;
    case "cancel":
      return mode.name === "add" ? { name: "view" } : mode.name === "edit" ? { name: "modify" } : mode;
    case "saved":
      return mode.name === "add" || mode.name === "edit" ? { name: "modify" } : mode;
  }
}
