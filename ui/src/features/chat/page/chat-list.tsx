import { useQuery } from "@tanstack/react-query";
import { MessageCircle, MessageCirclePlus, MessagesSquare, Plus, Users } from "lucide-react";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { fallbackRefreshMs } from "@/api/query";
import { Button } from "@/components/button";
import { EmptyState } from "@/components/empty-state";
import { ErrorState } from "@/components/error-state";
import { IconButton } from "@/components/icon-button";
import { Menu, MenuButton, MenuItem } from "@/components/menu";
import { SearchField } from "@/components/search-field";
import { SkeletonRows } from "@/components/skeleton";
import { cx } from "@/lib/cx";
import { fold } from "@/lib/fold";
import { useDebounced } from "@/lib/use-debounced";
import { useListKeys } from "@/lib/use-list-keys";
import { foundQuery } from "../conversation/data";
import { Hit } from "../conversation/search-here";
import { chatsQuery } from "../data";
import { ChatRow } from "./chat-row";

export interface ChatListProps {
  current: string | undefined;
  onNew: () => void;
  onNewGroup: () => void;
  className?: string;
}

const head = "px-3 pt-3 pb-1 text-xs font-semibold tracking-[.06em] text-muted uppercase";

/** Messages in all conversations that match the search. */
function Said({ query }: { query: string }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery({ ...foundQuery(query), placeholderData: (before) => before });
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  return (
    <>
      {data && data.length > 0 && <h2 className={head}>{t("ui.chat.messages")}</h2>}
      <ul>
        {data?.map((found) => (
          <li key={found.message.id}>
            <Hit
              found={found}
              query={query}
              title={found.chat.name}
              onPick={() => void navigate(`/chat/${found.chat.id}?message=${found.message.id}`)}
            />
          </li>
        ))}
      </ul>
      <p role="status" className="sr-only">
        {data && t("ui.search.found", { count: data.length })}
      </p>
    </>
  );
}

/** The conversations, by last activity, and the messages found in them. */
export function ChatList({ current, onNew, onNewGroup, className }: ChatListProps) {
  const { t } = useTranslation();
  const { data: chats, error, refetch } = useQuery({ ...chatsQuery, refetchInterval: fallbackRefreshMs });
  const [text, setText] = useState("");
  const list = useRef<HTMLElement>(null);
  useListKeys(list, onNew);
  const query = useDebounced(text.trim(), 250);
  const { data: said } = useQuery({ ...foundQuery(query), placeholderData: (before) => before });
  const found = chats?.filter((chat) => fold(chat.contact.name).includes(fold(text.trim())));
  const nothing = text.trim() !== "" && found?.length === 0 && (query.length < 2 || said?.length === 0);
  return (
    <nav ref={list} aria-label={t("ui.chat.conversations")} className={cx("flex min-h-0 min-w-0 flex-col", className)}>
      <header className="px-4 pt-3 pb-3">
        <div className="flex items-center gap-1">
          <h1 className="min-w-0 flex-1 truncate text-lg font-bold tracking-[-.01em] text-ink">{t("ui.chat.title")}</h1>
          <MenuButton button={(attributes) => <IconButton {...attributes} label={t("ui.chat.begin")} icon={Plus} />}>
            <Menu aria-label={t("ui.chat.begin")}>
              <MenuItem icon={<MessageCircle aria-hidden size={16} />} onAction={onNew}>
                {t("ui.chat.new")}
              </MenuItem>
              <MenuItem icon={<Users aria-hidden size={16} />} onAction={onNewGroup}>
                {t("ui.chat.newGroup")}
              </MenuItem>
            </Menu>
          </MenuButton>
        </div>
        <SearchField label={t("ui.chat.searchAll")} value={text} onChange={setText} className="mt-2" />
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-2 pb-3">
        {error && !chats ? (
          <ErrorState error={error} onRetry={() => void refetch()} />
        ) : !chats ? (
          <SkeletonRows className="p-2" />
        ) : chats.length === 0 ? (
          <EmptyState
            icon={MessagesSquare}
            title={t("ui.chat.empty")}
            text={t("ui.chat.emptyText")}
            action={
              <Button variant="primary" icon={MessageCirclePlus} onClick={onNew}>
                {t("ui.chat.new")}
              </Button>
            }
          />
        ) : (
          <>
            <ul>
              {found?.map((chat) => (
                <li key={chat.id}>
                  <ChatRow chat={chat} current={chat.id === current} />
                </li>
              ))}
            </ul>
            {text.trim().length >= 2 && query.length >= 2 && <Said query={query} />}
            {nothing && <p className="px-3 py-4 text-muted">{t("ui.search.none")}</p>}
          </>
        )}
      </div>
    </nav>
  );
}
