import { hashKey, type QueryClient } from "@tanstack/react-query";
import i18n from "i18next";
import { create } from "zustand";
import { api } from "@/api/client";
import { ApiError, errorText } from "@/api/errors";
import { useLive } from "@/api/live";
import type { Activity, Comment, InputOf, NewActivity, NewComment, RecordOf, Task } from "@/api/schema";
import { useSession } from "@/api/session";
import { newId } from "@/lib/new-id";
import { toast } from "@/lib/toast";
import { recordQuery } from "./data";
import { type CreatedKind, queryKeysOf, recordKinds } from "./kinds";
import { postActivity, postComment, type TimelineOf } from "./timelines";
import { noteCreated } from "./undo-change";

/** What each kind of entry sends and what the server answers: a new record, a comment, an activity, or the state of a task. */
type EntryTypes = {
  [K in CreatedKind]: { input: InputOf<K> & { title?: string }; saved: RecordOf<K>; record?: TimelineOf };
} & {
  comment: { input: NewComment; saved: Comment; record: TimelineOf };
  activity: { input: NewActivity; saved: Activity; record: TimelineOf };
  completion: { input: { taskId: string; title: string; completed: boolean }; saved: Task; record?: TimelineOf };
};

type EntryKind = keyof EntryTypes;

/** What is sent: of one of the kinds, with its input, and the record on whose screen it was typed. */
type Content<K extends EntryKind> = { [P in K]: { kind: P } & Pick<EntryTypes[P], "input" | "record"> }[K];

interface EntryState {
  /** The key by which the server saves it once. */
  id: string;
  createdAt: string;
  /** `waiting` is sent again by itself, `refused` is not. */
  state: "sending" | "waiting" | "refused";
  /** Why it was refused. */
  reason?: string;
}

/** Something that was typed and is not saved yet. */
export type Entry = Content<EntryKind> & EntryState;

/** Receives what comes of an entry, as long as the page that added it is open. */
interface Listener<K extends EntryKind> {
  saved: (saved: EntryTypes[K]["saved"]) => void;
  /** Returns whether the input shows it again; otherwise, it stays as a row with the reason. */
  refused: (error: unknown) => boolean;
  /** Called when the first attempt reached no server. */
  waits?: () => void;
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
const listeners = new Map<string, Listener<EntryKind>>();

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

/** Whether this version of the page sends entries of a kind. */
const isKnown = (kind: string) => kind === "comment" || kind === "activity" || kind === "completion" || kind in recordKinds;

function stored(who: string): Entry[] {
  try {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(prefixOf(who)));
    const found = keys.map((key) => JSON.parse(localStorage.getItem(key) ?? "null") as Entry | null);
    return found
      .filter((entry): entry is Entry => entry !== null && isKnown(entry.kind))
      .toSorted((a, b) => a.createdAt.localeCompare(b.createdAt));
  } catch {
    return [];
  }
}

function change(id: string, to: Partial<EntryState> | undefined) {
  const entry = waiting().find((one) => one.id === id);
  const next = to && entry && { ...entry, ...to };
  useEntries.setState(({ entries }) => ({
    entries: entries.flatMap((one) => (one.id === id ? (next ?? []) : one)),
  }));
  store(next, id);
}

async function createRecord<K extends CreatedKind>(of: QueryClient, kind: K, input: InputOf<K>, key: string) {
  const saved = (await api.post(`/api/${recordKinds[kind].name}`, input, { header: { "Idempotency-Key": key } })) as RecordOf<K>;
  const { queryKey } = recordQuery(kind, saved.id);
  of.setQueryData<RecordOf<K>>(queryKey, saved);
  const predicate = ({ queryHash }: { queryHash: string }) => queryHash !== hashKey(queryKey);
  for (const queryKey of queryKeysOf(kind)) void of.invalidateQueries({ queryKey, predicate });
  noteCreated(of, kind, saved);
  return saved;
}

async function completeTask(of: QueryClient, { taskId, completed }: EntryTypes["completion"]["input"], isShown: boolean) {
  const task = await api.patch("/api/tasks/{id}", { completed }, { path: { id: taskId }, keepalive: true });
  const { queryKey } = recordQuery("task", taskId);
  of.setQueryData(queryKey, task);
  // The page that completed it shows it itself.
  if (!isShown) for (const key of queryKeysOf("task")) void of.invalidateQueries({ queryKey: key });
  return task;
}

function send(of: QueryClient, entry: Entry) {
  if (entry.kind === "completion") return completeTask(of, entry.input, listeners.has(entry.id));
  if (entry.kind === "comment") return postComment(of, entry.record, entry.input, entry.id);
  if (entry.kind === "activity") return postActivity(of, entry.input, entry.id);
  return createRecord(of, entry.kind, entry.input, entry.id);
}

/** Saves the waiting entries one after the other, in the order in which they were typed. */
export async function deliverEntries() {
  const of = client;
  if (isDelivering || !of) return;
  isDelivering = true;
  clearTimeout(timer);
  const sender = member;
  try {
    for (;;) {
      const next = waiting().find(({ state }) => state !== "refused");
      if (!next || member !== sender) return;
      change(next.id, { state: "sending" });
      try {
        const saved = await send(of, next);
        failures = 0;
        if (member === sender) change(next.id, undefined);
        listeners.get(next.id)?.saved(saved);
        listeners.delete(next.id);
      } catch (error) {
        if (member !== sender) return;
        const isRefused = error instanceof ApiError && error.status >= 400 && error.status < 500 && !passing.includes(error.status);
        if (isRefused) {
          const isTaken = listeners.get(next.id)?.refused(error) ?? false;
          change(next.id, isTaken ? undefined : { state: "refused", reason: errorText(error) });
          listeners.delete(next.id);
          continue;
        }
        for (const { id, state } of waiting()) if (state === "sending") change(id, { state: "waiting" });
        for (const { waits } of listeners.values()) waits?.();
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
 * Saves what was typed, now or as soon as the server is reachable; until then it waits in this browser. Returns whether
 * it was taken over; if not, because too many wait, a toast says so.
 */
export function addEntry<K extends EntryKind>(content: { kind: K } & Content<K>, on: Listener<K>): boolean;
export function addEntry(content: Content<EntryKind>, on: Listener<EntryKind>): boolean {
  if (waiting().length >= mostEntries) {
    toast.error(i18n.t("ui.tasks.tooMany", { total: mostEntries }));
    return false;
  }
  const state: EntryState = { id: newId(), createdAt: new Date().toISOString(), state: "sending" };
  const entry: Entry = { ...content, ...state };
  useEntries.setState(({ entries }) => ({ entries: [...entries, entry] }));
  store(entry, entry.id);
  listeners.set(entry.id, on);
  deliver();
  return true;
}

/** Gives up the states of a task that wait, before a newer one is added. */
export function discardCompletions(taskId: string) {
  for (const { id, state, ...entry } of waiting())
    if (entry.kind === "completion" && entry.input.taskId === taskId && state !== "sending") change(id, undefined);
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
