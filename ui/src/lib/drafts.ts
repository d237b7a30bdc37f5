import { useState } from "react";

/** Prefixes of the storage keys of unsent work: drafts, input recovery, outgoing messages, typed records, typed texts. The member's id follows. */
const unsentPrefixes = ["atrium.draft", "atrium.rescue", "atrium.outgoing", "atrium.entries", "atrium.typed"];
/** As many typed texts of a member are kept in a browser at most; the newest stay. */
export const mostTyped = 50;

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

const typedPrefix = (member: string) => `atrium.typed.${member}.`;

interface Typed {
  /** When it was typed, in milliseconds. */
  at: number;
  value: unknown;
}

/** Removes the oldest texts of a member, so that another one has room. */
function makeRoomForTyped(member: string) {
  const keys = Object.keys(localStorage).filter((key) => key.startsWith(typedPrefix(member)));
  const typedAt = (key: string) => {
    try {
      return (JSON.parse(localStorage.getItem(key) ?? "null") as Typed | null)?.at ?? 0;
    } catch {
      // It cannot be read, and goes first.
      return 0;
    }
  };
  const newestFirst = keys.map((key) => ({ key, at: typedAt(key) })).toSorted((a, b) => b.at - a.at);
  for (const { key } of newestFirst.slice(mostTyped - 1)) localStorage.removeItem(key);
}

/** Reads what a member was typing into a field that sends it, such as a comment: kept in this browser, so that closing the tab loses nothing. */
export function readTyped<T>(member: string, name: string): T | undefined {
  try {
    const text = localStorage.getItem(typedPrefix(member) + name);
    // An earlier version of this page kept it in the tab.
    return text ? ((JSON.parse(text) as Typed).value as T) : readDraft<T>(member, name);
  } catch {
    return undefined;
  }
}

/** Stores what a member is typing, or deletes it if the value is undefined: it was taken over, or given up. */
export function writeTyped(member: string, name: string, value: unknown) {
  const key = typedPrefix(member) + name;
  writeDraft(member, name, undefined);
  try {
    if (value === undefined) return localStorage.removeItem(key);
    if (localStorage.getItem(key) === null) makeRoomForTyped(member);
    localStorage.setItem(key, JSON.stringify({ at: Date.now(), value } satisfies Typed));
  } catch {
    // Without storage it lasts as long as the page.
  }
}

/** Keeps a text while it is typed; an empty text deletes it. */
export function useTextDraft(member: string, name: string): [string, (text: string) => void] {
  const [text, setText] = useState(() => readTyped<string>(member, name) ?? "");
  return [
    text,
    (next) => {
      setText(next);
      writeTyped(member, name, next === "" ? undefined : next);
    },
  ];
}
