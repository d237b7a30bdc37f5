import { useEffect } from "react";
import { create } from "zustand";
import type { AttachedFile, Mention, RecordReferenceInput } from "@/api/schema";
import { readTyped, writeTyped } from "@/lib/drafts";

/** A message or comment that is being written. */
export interface Draft {
  text: string;
  mentions: Mention[];
  references: RecordReferenceInput[];
  /** Files that are already uploaded. */
  attachments: AttachedFile[];
}

export const emptyDraft: Draft = { text: "", mentions: [], references: [], attachments: [] };

/** Shared by places that show the same draft. */
const useDrafts = create<Record<string, Draft>>(() => ({}));

/** Reads a stored draft, which an older version of this page may have written. */
function load(member: string, name: string): Draft {
  const kept = readTyped<Partial<Draft> | string>(member, name);
  return { ...emptyDraft, ...(typeof kept === "string" ? { text: kept } : kept) };
}

export const isEmptyDraft = (draft: Draft) => draft.text === "" && draft.attachments.length === 0;

/** Manages the draft with a name, which survives closing the tab. */
export function useDraft(member: string, name: string): [Draft, (change: Partial<Draft> | ((before: Draft) => Partial<Draft>)) => void] {
  const key = `${member} ${name}`;
  const kept = useDrafts((drafts) => drafts[key]);
  const draft = kept ?? load(member, name);
  useEffect(() => {
    if (!kept) useDrafts.setState({ [key]: load(member, name) });
  }, [kept, key, member, name]);
  return [
    draft,
    (change) => {
      const before = useDrafts.getState()[key] ?? load(member, name);
      const next = { ...before, ...(typeof change === "function" ? change(before) : change) };
      useDrafts.setState({ [key]: next });
      writeTyped(member, name, isEmptyDraft(next) ? undefined : next);
    },
  ];
}
