import { useCallback, useEffect, useState } from "react";
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

/** What changes in a draft, or how that follows from it. */
export type DraftChange = Partial<Draft> | ((before: Draft) => Partial<Draft>);

/** Returns a draft with a change. */
export const changed = (draft: Draft, change: DraftChange): Draft => ({
  ...draft,
  ...(typeof change === "function" ? change(draft) : change),
});

/** Manages the draft with a name, which survives closing the tab. */
export function useDraft(member: string, name: string): [Draft, (change: DraftChange) => void] {
  const key = `${member} ${name}`;
  const kept = useDrafts((drafts) => drafts[key]);
  const draft = kept ?? load(member, name);
  useEffect(() => {
    if (!kept) useDrafts.setState({ [key]: load(member, name) });
  }, [kept, key, member, name]);
  return [
    draft,
    (change) => {
      const next = changed(useDrafts.getState()[key] ?? load(member, name), change);
      useDrafts.setState({ [key]: next });
      writeTyped(member, name, isEmptyDraft(next) ? undefined : next);
    },
  ];
}

/** A text that was sent and is being edited. */
export interface Revision {
  id: string;
  /** The text that was sent. */
  value: string;
  /** What is made of it. */
  draft: Draft;
  /** Whether it was typed before the page was opened, and could not be saved. */
  isKept?: boolean;
}

/** Returns a sent text to edit. */
export const revisionOf = (sent: Pick<Revision, "id" | "value"> & Pick<Draft, "mentions" | "references">): Revision => {
  const { id, value, mentions, references } = sent;
  return { id, value, draft: { ...emptyDraft, text: value, mentions, references } };
};

/** Manages the sent text that is being edited in a place. What is typed stays until it is saved, also when the tab is closed. */
export function useRevision(member: string, place: string): [Revision | undefined, (next: Revision | undefined) => void] {
  const name = `${place}.edit`;
  const [revision, setRevision] = useState((): Revision | undefined => {
    const kept = readTyped<Revision>(member, name);
    return kept && { ...kept, isKept: true };
  });
  const change = useCallback(
    (next: Revision | undefined) => {
      setRevision(next);
      writeTyped(member, name, next && next.draft.text !== next.value ? next : undefined);
    },
    [member, name],
  );
  return [revision, change];
}
