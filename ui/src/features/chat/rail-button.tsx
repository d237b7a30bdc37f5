import { useId } from "react";
import { useTranslation } from "react-i18next";
import type { Chat } from "@/api/schema";
import { Badge } from "@/components/badge";
import { Tooltip } from "@/components/tooltip";
import { cx } from "@/lib/cx";
import { ChatAvatar } from "./chat-avatar";
import { useContactStatus } from "./status";

/** A conversation's avatar as a button, with the number of unread messages. */
export function RailButton({ chat, selected = false, onSelect }: { chat: Chat; selected?: boolean; onSelect: () => void }) {
  const { t } = useTranslation();
  const unread = chat.unreadCount > 0;
  const status = useContactStatus(chat.contact);
  const note = useId();
  return (
    <Tooltip text={chat.contact.name} side="left">
      <button
        type="button"
        aria-label={unread ? `${chat.contact.name}, ${t("ui.chat.unread", { count: chat.unreadCount })}` : chat.contact.name}
        aria-describedby={status && note}
        aria-current={selected || undefined}
        onClick={onSelect}
        className={cx("relative rounded-[14px] p-1.25 hover:bg-hover focus-visible:-outline-offset-2", selected && "bg-tint hover:bg-tint")}
      >
        <ChatAvatar chat={chat} size={40} />
        {status && (
          <span id={note} hidden>
            {t(`ui.status.${status}`)}
          </span>
        )}
        <Badge count={chat.unreadCount} className="absolute top-0 right-0" />
      </button>
    </Tooltip>
  );
}
