import { useQueryClient } from "@tanstack/react-query";
import { Suspense, useEffect, useRef } from "react";
import { useUser } from "@/features/account/data";
import { lazyOnIdle } from "@/lib/lazy-on-idle";
import { hasOutgoing } from "./outgoing";
import { useChatPanel } from "./panel";

const ChatDrawer = lazyOnIdle(() => import("./chat-drawer"));

const isShown = (element: Element | null | undefined) => element instanceof HTMLElement && element.getClientRects().length > 0;

/**
 * The chat drawer over every screen. On closing, the focus returns to the element that opened it, or to the chat
 * button.
 */
export function ChatDock() {
  const { open } = useChatPanel();
  const opener = useRef<Element | null>(null);
  useEffect(() => {
    const stop = useChatPanel.subscribe((now, before) => {
      if (now.open && !before.open) opener.current = document.activeElement;
    });
    return () => {
      stop();
      // The chat closes when the member leaves the application.
      useChatPanel.setState({ open: false, chatId: undefined });
    };
  }, []);
  const client = useQueryClient();
  const { id: me } = useUser();
  // Sends messages that could not be sent before the page was left.
  useEffect(() => {
    if (hasOutgoing(me)) void import("./conversation/outbox").then(({ startOutbox }) => startOutbox(client, me));
  }, [client, me]);
  const setOpen = (next: boolean) => {
    useChatPanel.setState({ open: next, chatId: undefined });
    if (next) return;
    requestAnimationFrame(() => {
      const buttons = Array.from(document.querySelectorAll("[data-opens=chat]"));
      const before = opener.current === document.body || !isShown(opener.current) ? buttons.find(isShown) : opener.current;
      if (before instanceof HTMLElement) before.focus();
    });
  };
  return <Suspense>{open && <ChatDrawer isOpen={open} onOpenChange={setOpen} />}</Suspense>;
}
