import { useQuery } from "@tanstack/react-query";
import { MessageCircle } from "lucide-react";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { Badge } from "@/components/badge";
import { IconButton } from "@/components/icon-button";
import { chatsQuery, unreadChatsQuery } from "./data";
import { openChat, useChatPanel } from "./panel";

/** The header's chat button, with the number of unread messages. */
export function ChatTool() {
  const { t } = useTranslation();
  const note = useId();
  const { open } = useChatPanel();
  const { data: count } = useQuery(unreadChatsQuery);
  const { data: chats } = useQuery(chatsQuery);
  const unread = count ?? chats?.reduce((sum, chat) => sum + chat.unreadCount, 0) ?? 0;
  return (
    <>
      <IconButton
        label={t("ui.shell.chat")}
        icon={MessageCircle}
        data-opens="chat"
        aria-haspopup="dialog"
        aria-expanded={open}
        aria-describedby={unread > 0 ? note : undefined}
        active={open}
        onClick={() => openChat()}
        className="max-sm:w-9"
      >
        <Badge count={unread} className="absolute top-0.5 left-[calc(50%+1px)]" />
      </IconButton>
      {unread > 0 && (
        <span id={note} className="sr-only">
          {t("ui.chat.unread", { count: unread })}
        </span>
      )}
    </>
  );
}
