import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useLocation, useNavigate } from "react-router";
import { ChatTool } from "./chat-tool";
import { chatsQuery } from "./data";
import { openChat } from "./panel";
import { RailButton } from "./rail-button";

/** The team's conversations at the edge of wide pages. */
export function ChatRail() {
  const { t } = useTranslation();
  const { data: chats } = useQuery(chatsQuery);
  const navigate = useNavigate();
  const onPage = /^\/chat(\/|$)/.test(useLocation().pathname);
  return (
    <aside
      aria-label={t("ui.chat.title")}
      className="no-print sticky top-0 z-[48] flex h-dvh w-16 shrink-0 flex-col border-l border-line bg-surface max-lg:hidden"
    >
      <div className="grid h-16 shrink-0 place-items-center border-b border-line">
        <ChatTool />
      </div>
      <ul className="flex min-h-0 flex-1 flex-col items-center gap-1.5 overflow-y-auto py-3 [scrollbar-width:none]">
        {chats?.map((chat) => (
          <li key={chat.id} className="shrink-0">
            <RailButton chat={chat} onSelect={() => (onPage ? void navigate(`/chat/${chat.id}`) : openChat(chat.id))} />
          </li>
        ))}
      </ul>
    </aside>
  );
}
