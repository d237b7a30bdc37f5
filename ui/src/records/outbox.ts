import { hashKey, type QueryClient } from "@tanstack/react-query";
import { create } from "zustand";
import { api } from "@/api/client";
import { ApiError, errorText } from "@/api/errors";
import { useLive } from "@/api/live";
import type { InputOf, RecordOf } from "@/api/schema";
import { useSession } from "@/api/session";
import { newId } from "@/lib/new-id";
import { recordQuery } from "./data";
import { type CreatedKind, queryKeysOf, recordKinds } from "./kinds";
import { noteCreated } from "./undo-change";

/** A record that was typed into a quick entry and is not saved yet. */
export interface Entry<K extends CreatedKind = CreatedKind> {
  /** The key by which the server saves it once. */
  id: string;
  kind: K;
  input: InputOf<K> & { title?: string };
  createdAt: string;
  /** `waiting` is sent again by itself, `refused` is not. */
  state: "sending" | "waiting" | "refused";
  /** Why it was refused. */
  reason?: string;
}

/** As many entries wait at most. */
export const mostEntries = 200;
/** Milliseconds until each attempt after a failure; the last repeats. */
const retryDelaysMs = [1_000, 5_000, 15_000, 60_000];
/** Statuses that say nothing about the entry itself. */
const passing = [401, 408, 423, 425, 429];

export const useEntries = create<{ entries: Entry[] }>(() => ({ entries: [] }));

let member: string | undefined;
let client: QueryClient | undefined;
let failures = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
let isDelivering = false;
const listeners = new Map<string, { saved: (record: RecordOf<CreatedKind>) => void; refused: (error: unknown) => void }>();

const waiting = () => useEntries.getState().entries;
/** Each entry has a storage key of its own, so that two tabs do not overwrite each other. */
const prefixOf = (who: string) => `atrium.entries.${who}.`;

function store(entry: Entry | undefined, id: string) {
  if (!member) return;
  try {
    if (entry) localStorage.setItem(prefixOf(member) + id, JSON.stringify(entry));
    else localStorage.removeItem(prefixOf(member) + id);
  } catch {
    // Without storage it waits as long as the page is open.
  }
}

function stored(who: string): Entry[] {
  try {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(prefixOf(who)));
    const found = keys.map((key) => JSON.parse(localStorage.getItem(key) ?? "null") as Entry | null);
    return found
      .filter((entry): entry is Entry => entry !== null && entry.kind in recordKinds)
      .toSorted((a, b) => a.createdAt.localeCompare(b.createdAt));
  } catch {
    return [];
  }
}

function change(id: string, to: Partial<Entry> | undefined) {
  const entry = waiting().find((one) => one.id === id);
  const next = to && entry && { ...entry, ...to };
  useEntries.setState(({ entries }) => ({
    entries: entries.flatMap((one) => (one.id === id ? (next ?? []) : one)),
  }));
  store(next, id);
}

async function send<K extends CreatedKind>({ id, kind, input }: Entry<K>) {
  const { name } = recordKinds[kind];
  const saved = (await api.post(`/api/${name}`, input, { header: { "Idempotency-Key": id } })) as RecordOf<K>;
  const { queryKey } = recordQuery(kind, saved.id);
  client?.setQueryData<RecordOf<K>>(queryKey, saved);
  const predicate = ({ queryHash }: { queryHash: string }) => queryHash !== hashKey(queryKey);
  for (const key of queryKeysOf(kind)) void client?.invalidateQueries({ queryKey: key, predicate });
  if (client) noteCreated(client, kind, saved);
  return saved;
}

/** Saves the waiting entries one after the other, in the order in which they were typed. */
export async function deliverEntries() {
  if (isDelivering) return;
  isDelivering = true;
  clearTimeout(timer);
  const sender = member;
  try {
    for (;;) {
      const next = waiting().find(({ state }) => state !== "refused");
      if (!next || member !== sender) return;
      change(next.id, { state: "sending" });
      try {
        const saved = await send(next);
        failures = 0;
        if (member === sender) change(next.id, undefined);
        listeners.get(next.id)?.saved(saved);
        listeners.delete(next.id);
      } catch (error) {
        if (member !== sender) return;
        const isRefused = error instanceof ApiError && error.status >= 400 && error.status < 500 && !passing.includes(error.status);
        if (isRefused && listeners.has(next.id)) {
          // Who typed it still looks at it, and gets it back.
          change(next.id, undefined);
          listeners.get(next.id)?.refused(error);
          listeners.delete(next.id);
          continue;
        }
        if (isRefused) {
          change(next.id, { state: "refused", reason: errorText(error) });
          continue;
        }
        for (const { id, state } of waiting()) if (state === "sending") change(id, { state: "waiting" });
        listeners.clear();
        failures += 1;
        timer = setTimeout(() => void deliverEntries(), retryDelaysMs[Math.min(failures, retryDelaysMs.length) - 1]);
        return;
      }
    }
  } finally {
    isDelivering = false;
  }
}

const deliver = () => void deliverEntries();

/** Starts the outbox of a member, with what waited when the page was left. */
export function startEntries(of: QueryClient, who: string) {
  client = of;
  if (member === who) return;
  member = who;
  failures = 0;
  useEntries.setState({ entries: stored(who).map((entry): Entry => (entry.state === "sending" ? { ...entry, state: "waiting" } : entry)) });
  removeEventListener("online", deliver);
  addEventListener("online", deliver);
  deliver();
}

/**
 * Saves a record that was typed, now or as soon as the server is reachable; until then it waits in this browser. Returns
 * undefined when too many wait. `saved` and `refused` are called for an attempt that is made at once.
 */
export function addEntry<K extends CreatedKind>(
  kind: K,
  input: Entry<K>["input"],
  on: { saved: (record: RecordOf<K>) => void; refused: (error: unknown) => void },
): string | undefined {
  if (waiting().length >= mostEntries) return undefined;
  const entry: Entry = { id: newId(), kind, input, createdAt: new Date().toISOString(), state: "sending" };
  useEntries.setState(({ entries }) => ({ entries: [...entries, entry] }));
  store(entry, entry.id);
  listeners.set(entry.id, on as never);
  deliver();
  return entry.id;
}

/** Gives up an entry. */
export const discardEntry = (id: string) => change(id, undefined);

// Attempts at once when the server is reachable again.
useLive.subscribe(({ reachable }, before) => {
  if (reachable && !before.reachable) deliver();
});

// After sign-out, nothing is sent or kept.
useSession.subscribe(({ state }) => {
  if (state !== "guest") return;
  clearTimeout(timer);
  member = undefined;
  listeners.clear();
  useEntries.setState({ entries: [] });
});
