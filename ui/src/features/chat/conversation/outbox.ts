import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { create } from "zustand";
import { ApiError, errorText } from "@/api/errors";
import { useLive } from "@/api/live";
import { useSession } from "@/api/session";
import type { Draft } from "@/features/content/draft";
import { newId } from "@/lib/new-id";
import { keepOutgoing, readOutgoing } from "../outgoing";
import { type Sending, sendMessage } from "./data";

/** A message that is not sent yet: shown at once, and marked until the server has it. */
export interface Outgoing extends Sending {
  createdAt: string;
  /** `failed` is retried automatically, `refused` is not. */
  state: "sending" | "failed" | "refused";
  /** The reason of the refusal. */
  reason?: string | undefined;
}

export const useOutgoing = create<{ messages: Outgoing[] }>(() => ({ messages: [] }));

/** Milliseconds until each retry; the last repeats. */
const retryDelaysMs = [1_000, 5_000, 15_000, 60_000];

let member: string | undefined;
let client: QueryClient | undefined;
let failures = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
const underWay = new Set<string>();

const waiting = () => useOutgoing.getState().messages;

function change(clientId: string, to: Partial<Outgoing> | undefined) {
  useOutgoing.setState(({ messages }) => ({
    messages: to
      ? messages.map((one) => (one.clientId === clientId ? { ...one, ...to } : one))
      : messages.filter((one) => one.clientId !== clientId),
  }));
  if (!member) return;
  keepOutgoing(member, clientId, to && waiting().find((one) => one.clientId === clientId));
}

/** Whether the server will refuse it at every attempt. */
function isRefused(error: unknown): boolean {
  return error instanceof ApiError && error.status >= 400 && error.status < 500 && ![401, 408, 423, 425, 429].includes(error.status);
}

/** Sends a conversation's waiting messages one after the other, to keep their order. */
async function deliver(chatId: string) {
  if (!client || underWay.has(chatId)) return;
  underWay.add(chatId);
  const sender = member;
  try {
    for (;;) {
      const next = waiting().find((one) => one.chatId === chatId && one.state !== "refused");
      if (!next || member !== sender) return;
      if (next.state !== "sending") change(next.clientId, { state: "sending" });
      const { state: _state, reason: _reason, createdAt: _createdAt, ...sending } = next;
      try {
        await sendMessage(client, sending);
        failures = 0;
        change(next.clientId, undefined);
      } catch (error) {
        if (member !== sender) return;
        if (isRefused(error)) {
          change(next.clientId, { state: "refused", reason: errorText(error) });
          continue;
        }
        for (const one of waiting()) if (one.chatId === chatId && one.state === "sending") change(one.clientId, { state: "failed" });
        failures += 1;
        clearTimeout(timer);
        timer = setTimeout(deliverAll, retryDelaysMs[Math.min(failures, retryDelaysMs.length) - 1]);
        return;
      }
    }
  } finally {
    underWay.delete(chatId);
  }
}

/** Sends all waiting messages. */
export function deliverAll() {
  for (const chatId of new Set(waiting().map((one) => one.chatId))) void deliver(chatId);
}

/** Starts the outbox of a member, with the messages that waited when the page was left. */
export function startOutbox(of: QueryClient, who: string) {
  client = of;
  if (member === who) return;
  member = who;
  failures = 0;
  const kept = readOutgoing(who).filter((one): one is Outgoing => typeof one === "object" && one !== null && "clientId" in one);
  kept.sort((a, b) => a.createdAt.localeCompare(b.createdAt));
  useOutgoing.setState({ messages: kept });
  removeEventListener("online", deliverAll);
  addEventListener("online", deliverAll);
  deliverAll();
}

// Retries at once when the server is reachable again.
useLive.subscribe(({ reachable }, before) => {
  if (reachable && !before.reachable) deliverAll();
});

// After sign-out, a member's unsent messages are neither sent nor kept.
useSession.subscribe(({ state }) => {
  if (state !== "guest") return;
  clearTimeout(timer);
  member = undefined;
  useOutgoing.setState({ messages: [] });
});

/** Sends messages of a conversation; a failed one is kept and retried, and stored only once by the server. */
export function useOutbox(who: string, chatId: string) {
  const queryClient = useQueryClient();
  const all = useOutgoing(({ messages }) => messages);
  useEffect(() => startOutbox(queryClient, who), [queryClient, who]);
  const pending = useMemo(() => all.filter((one) => one.chatId === chatId), [all, chatId]);
  return {
    pending,
    send: ({ text: value, ...rest }: Draft) => {
      startOutbox(queryClient, who);
      const message: Outgoing = { ...rest, value, chatId, clientId: newId(), createdAt: new Date().toISOString(), state: "sending" };
      useOutgoing.setState(({ messages }) => ({ messages: [...messages, message] }));
      keepOutgoing(who, message.clientId, message);
      void deliver(chatId);
    },
    retry: () => void deliver(chatId),
    /** Removes a message that could not be sent. */
    discard: (clientId: string) => change(clientId, undefined),
  };
}
