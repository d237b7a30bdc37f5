import { useQuery } from "@tanstack/react-query";
import { MessageCircle } from "lucide-react";
import { Suspense, useEffect, useId, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Badge } from "@/components/badge";
import { IconButton } from "@/components/icon-button";
import { late } from "@/lib/late";
import { chatsQuery, unreadChatsQuery } from "./data";
import { useChatPanel } from "./panel";

const ChatDrawer = late(() => import("./chat-drawer"));

export function ChatTool() {
  const { t } = useTranslation();
  const note = useId();
  const ref = useRef<HTMLButtonElement>(null);
  const { open } = useChatPanel();
  // Who leaves the application leaves the chat as well.
  useEffect(() => () => useChatPanel.setState({ open: false, chatId: undefined }), []);
  const setOpen = (next: boolean) => useChatPanel.setState({ open: next, chatId: undefined });
  const { data: count } = useQuery(unreadChatsQuery);
  const { data: chats } = useQuery(chatsQuery);
  const unread = count ?? chats?.reduce((sum, chat) => sum + chat.unreadCount, 0) ?? 0;
  return (
    <>
      <IconButton
        ref={ref}
        label={t("ui.shell.chat")}
        icon={MessageCircle}
        aria-haspopup="dialog"
        aria-expanded={open}
        aria-describedby={unread > 0 ? note : undefined}
        active={open}
        onClick={() => setOpen(true)}
        className="max-sm:w-9"
      >
        <Badge count={unread} className="absolute top-1 right-0.75" />
      </IconButton>
      {unread > 0 && (
        <span id={note} className="sr-only">
          {t("ui.chat.unread", { count: unread })}
        </span>
      )}
      <Suspense>
        {open && (
          <ChatDrawer
            isOpen={open}
            onOpenChange={(next) => {
              setOpen(next);
              if (!next) requestAnimationFrame(() => ref.current?.focus());
            }}
          />
        )}
      </Suspense>
    </>
  );
}
