import { BellOff } from "lucide-react";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import type { Chat } from "@/api/schema";
import { useUser } from "@/features/account/data";
import { cx } from "@/lib/cx";
import { formatNumber } from "@/lib/format";
import { ChatAvatar } from "../chat-avatar";
import { when } from "../conversation/search-here";
import { useContactStatus } from "../status";
import { useWriters } from "../typing";

/** Returns the author of the last message, unless it is clear. */
function useSpeaker(chat: Chat): string | undefined {
  const { t } = useTranslation();
  const user = useUser();
  const { lastAuthorId, lastMessage } = chat;
  if (!lastAuthorId || !lastMessage) return undefined;
  const author = chat.group?.members.find(({ id }) => id === lastAuthorId)?.name;
  // A group event begins with the name of its author.
  if (author && lastMessage.startsWith(author)) return undefined;
  if (lastAuthorId === user.id) return t("ui.chat.youFirst");
  return author?.split(" ", 1)[0];
}

/** A conversation in the list. */
export function ChatRow({ chat, current }: { chat: Chat; current: boolean }) {
  const { t } = useTranslation();
  const writers = useWriters(chat.id);
  const status = useContactStatus(chat.contact);
  const speaker = useSpeaker(chat);
  const note = useId();
  const unread = chat.unreadCount > 0;
  const last = chat.lastMessage || (chat.lastAuthorId ? t("ui.chat.attachment") : t("ui.chat.nothingYet"));
  return (
    <Link
      to={`/chat/${chat.id}`}
      data-row
      aria-current={current ? "page" : undefined}
      aria-describedby={note}
      className={cx(
        "flex items-center gap-3 rounded-xl px-2.5 py-2.5 focus-visible:-outline-offset-2",
        current ? "bg-tint-soft" : "hover:bg-hover",
      )}
    >
      <ChatAvatar chat={chat} size={44} />
      <span className="min-w-0 flex-1">
        <span className="flex items-center gap-2">
          <span dir="auto" className={cx("min-w-0 truncate text-ink", unread ? "font-bold" : "font-medium")}>
            {chat.contact.name}
          </span>
          {chat.muted && <BellOff aria-hidden size={14} className="shrink-0 text-muted" />}
          {chat.lastMessageAt && (
            <time
              dateTime={chat.lastMessageAt}
              className={cx("ml-auto shrink-0 text-xs", unread && !chat.muted ? "font-semibold text-accent" : "text-muted")}
            >
              {when(chat.lastMessageAt)}
            </time>
          )}
        </span>
        <span className="mt-0.5 flex items-center gap-2">
          {writers.length > 0 ? (
            <span className="min-w-0 flex-1 truncate text-sm text-accent">{t("ui.chat.typingShort")}</span>
          ) : (
            <span dir="auto" className={cx("min-w-0 flex-1 truncate text-sm", unread ? "text-body" : "text-muted")}>
              {speaker && `${speaker}: `}
              {last}
            </span>
          )}
          {unread && (
            <span
              aria-hidden
              className={cx(
                "min-w-5 shrink-0 rounded-full px-1.5 text-center text-xs leading-5 font-semibold tabular-nums",
                chat.muted ? "bg-hover text-soft" : "bg-primary text-on-primary",
              )}
            >
              {chat.unreadCount > 99 ? `${formatNumber(99)}+` : formatNumber(chat.unreadCount)}
            </span>
          )}
        </span>
      </span>
      <span id={note} hidden>
        {[
          status && chat.kind === "pair" && t(`ui.status.${status}`),
          unread && t("ui.chat.unread", { count: chat.unreadCount }),
          chat.muted && t("ui.chat.muted"),
        ]
          .filter(Boolean)
          .join(", ")}
      </span>
    </Link>
  );
}
