import { create } from "zustand";

/** Who is writing where; a sign holds for a moment, because nobody says that they stopped. */
export const useTyping = create<{ who: Record<string, string[]> }>(() => ({ who: {} }));

/** Milliseconds that a sign holds. */
const holds = 6_000;
const timers = new Map<string, ReturnType<typeof setTimeout>>();

const nobody: string[] = [];

/** Who is writing in a conversation. */
export const useWriters = (chatId: string) => useTyping(({ who }) => who[chatId] ?? nobody);

export function isTyping(chatId: string, memberId: string) {
  const key = `${chatId} ${memberId}`;
  clearTimeout(timers.get(key));
  timers.set(
    key,
    setTimeout(() => hasStopped(chatId, memberId), holds),
  );
  useTyping.setState(({ who }) =>
    who[chatId]?.includes(memberId) ? { who } : { who: { ...who, [chatId]: [...(who[chatId] ?? []), memberId] } },
  );
}

/** What they were writing is there, or they have not gone on. */
export function hasStopped(chatId: string, memberId: string) {
  const key = `${chatId} ${memberId}`;
  clearTimeout(timers.get(key));
  timers.delete(key);
  useTyping.setState(({ who }) =>
    who[chatId]?.includes(memberId) ? { who: { ...who, [chatId]: who[chatId].filter((one) => one !== memberId) } } : { who },
  );
}
