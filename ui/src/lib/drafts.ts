import { useState } from "react";

/** What keys of unsent work begin with; the member's id follows. */
const kinds = ["atrium.draft", "atrium.rescue", "atrium.outgoing"];

/** The keys of a member's unsent work in a store of the browser. */
function keysOf(store: Storage, member: string): string[] {
  const own = kinds.map((kind) => `${kind}.${member}`);
  return Object.keys(store).filter((key) => own.some((name) => key === name || key.startsWith(`${name}.`)));
}

/** Whether this tab, or this browser, keeps something that a member has not sent. */
export function hasUnsent(member: string): boolean {
  try {
    return keysOf(sessionStorage, member).length + keysOf(localStorage, member).length > 0;
  } catch {
    return false;
  }
}

/** Removes what a member has not sent: drafts, rescued fields and waiting messages. */
export function forgetUnsent(member: string) {
  try {
    for (const store of [sessionStorage, localStorage]) for (const key of keysOf(store, member)) store.removeItem(key);
  } catch {
    // Without storage nothing was kept.
  }
}

/** What was being typed: in this browser tab only, per member, so that a reload or a lost session loses nothing. */
export function readDraft<T>(member: string, name: string): T | undefined {
  try {
    const text = sessionStorage.getItem(`atrium.draft.${member}.${name}`);
    return text ? (JSON.parse(text) as T) : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps a draft, or forgets it when there is nothing to keep. */
export function writeDraft(member: string, name: string, value: unknown) {
  const key = `atrium.draft.${member}.${name}`;
  try {
    if (value === undefined) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Without storage a draft lasts as long as the page.
  }
}

/** A text that is kept as a draft while it is typed; setting it to nothing forgets it. */
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
