import { create } from "zustand";

/** The members who are typing in each conversation; a signal expires, because its end is not reported. */
export const useTyping = create<{ who: Record<string, string[]> }>(() => ({ who: {} }));

/** Milliseconds until a signal expires. */
const typingMs = 6_000;
const timers = new Map<string, ReturnType<typeof setTimeout>>();

const nobody: string[] = [];

/** Returns the members who are typing in a conversation. */
export const useWriters = (chatId: string) => useTyping(({ who }) => who[chatId] ?? nobody);

export function addTyping(chatId: string, memberId: string) {
  const key = `${chatId} ${memberId}`;
  clearTimeout(timers.get(key));
  timers.set(
    key,
    setTimeout(() => removeTyping(chatId, memberId), typingMs),
  );
  useTyping.setState(({ who }) =>
    who[chatId]?.includes(memberId) ? { who } : { who: { ...who, [chatId]: [...(who[chatId] ?? []), memberId] } },
  );
}

/** Called when their message has arrived or the signal has expired. */
export function removeTyping(chatId: string, memberId: string) {
  const key = `${chatId} ${memberId}`;
  clearTimeout(timers.get(key));
  timers.delete(key);
  useTyping.setState(({ who }) =>
    who[chatId]?.includes(memberId) ? { who: { ...who, [chatId]: who[chatId].filter((one) => one !== memberId) } } : { who },
  );
}
