import { useEffect, useRef, useState } from "react";
import type { ConversationState } from "../cache";
import type { useMessageWindow } from "./data";
import type { Scroll } from "./use-scroll";

/** Milliseconds for which the message is highlighted. */
const highlightMs = 2_500;

interface JumpOptions {
  conversation: ConversationState | undefined;
  scroll: Scroll;
  messageWindow: ReturnType<typeof useMessageWindow>;
  /** The message that the address names. */
  target: string | undefined;
  onTarget?: (() => void) | undefined;
}

/** Scrolls to any message of the conversation, loads it if necessary, and highlights it for a moment. */
export function useJump({ conversation, scroll, messageWindow, target, onTarget }: JumpOptions) {
  const [wanted, setWanted] = useState<string | undefined>(target);
  const [marked, setMarked] = useState<string>();
  const asked = useRef<string>(undefined);
  useEffect(() => {
    if (target) setWanted(target);
  }, [target]);

  useEffect(() => {
    if (!wanted || !conversation) return;
    const known = conversation.messages.some(({ id }) => id === wanted);
    if (known && scroll.toMessage(wanted)) {
      const row = scroll.box.current?.querySelector<HTMLElement>(`[data-message="${CSS.escape(wanted)}"]`);
      row?.focus({ preventScroll: true });
      setMarked(wanted);
    } else if (!known && asked.current !== wanted) {
      asked.current = wanted;
      messageWindow.around.mutate(wanted, { onError: () => setWanted(undefined) });
      return;
    } else if (!known && messageWindow.around.isPending) return;
    asked.current = undefined;
    setWanted(undefined);
    onTarget?.();
  }, [wanted, conversation, scroll, messageWindow, onTarget]);

  useEffect(() => {
    if (!marked) return;
    const timer = setTimeout(() => setMarked(undefined), highlightMs);
    return () => clearTimeout(timer);
  }, [marked]);

  return { marked, jump: setWanted };
}
