import { useState } from "react";

/** Prefixes of the storage keys of unsent work: drafts, input recovery, outgoing messages, typed records. The member's id follows. */
const unsentPrefixes = ["atrium.draft", "atrium.rescue", "atrium.outgoing", "atrium.entries"];

/** Returns the keys of a member's unsent work in a storage. */
function unsentKeys(store: Storage, member: string): string[] {
  const own = unsentPrefixes.map((kind) => `${kind}.${member}`);
  return Object.keys(store).filter((key) => own.some((name) => key === name || key.startsWith(`${name}.`)));
}

/** Checks whether this tab or this browser holds unsent work of a member. */
export function hasUnsentWork(member: string): boolean {
  try {
    return unsentKeys(sessionStorage, member).length + unsentKeys(localStorage, member).length > 0;
  } catch {
    return false;
  }
}

/** Removes a member's unsent work, in this tab and this browser. */
export function removeUnsentWork(member: string) {
  try {
    for (const store of [sessionStorage, localStorage]) for (const key of unsentKeys(store, member)) store.removeItem(key);
  } catch {
    // Without storage nothing was kept.
  }
}

/** Reads a draft: typed input kept per member in this tab only, so that a reload or a lost session loses nothing. */
export function readDraft<T>(member: string, name: string): T | undefined {
  try {
    const text = sessionStorage.getItem(`atrium.draft.${member}.${name}`);
    return text ? (JSON.parse(text) as T) : undefined;
  } catch {
    return undefined;
  }
}

/** Stores a draft, or deletes it if the value is undefined. */
export function writeDraft(member: string, name: string, value: unknown) {
  const key = `atrium.draft.${member}.${name}`;
  try {
    if (value === undefined) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Without storage a draft lasts as long as the page.
  }
}

/** The name under which the record that a draft was typed over is kept. */
export const baseOf = (name: string) => `${name}.base`;

/** Deletes a draft, and the record that it was typed over. */
export function forgetDraft(member: string, name: string) {
  writeDraft(member, name, undefined);
  writeDraft(member, baseOf(name), undefined);
}

/** Keeps a text as a draft while it is typed; an empty text deletes the draft. */
export function useTextDraft(member: string, name: string): [string, (text: string) => void] {
  const [text, setText] = useState(() => readDraft<string>(member, name) ?? "");
  return [
    text,
    (next) => {
      setText(next);
      writeDraft(member, name, next === "" ? undefined : next);
    },
  ];
}
