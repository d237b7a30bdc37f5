import { useTranslation } from "react-i18next";
import type { Chat } from "@/api/schema";
import { Avatar } from "@/components/avatar";
import { Badge } from "@/components/badge";
import { Tooltip } from "@/components/tooltip";
import { cx } from "@/lib/cx";

/** A conversation by its colleague's picture, with how many messages wait in it. */
export function RailButton({ chat, selected = false, onSelect }: { chat: Chat; selected?: boolean; onSelect: () => void }) {
  const { t } = useTranslation();
  const unread = chat.unreadCount > 0;
  return (
    <Tooltip text={chat.contact.name} side="left">
      <button
        type="button"
        aria-label={unread ? `${chat.contact.name}, ${t("ui.chat.unread", { count: chat.unreadCount })}` : chat.contact.name}
        aria-current={selected || undefined}
        onClick={onSelect}
        className={cx("relative rounded-[14px] p-1.25 hover:bg-hover focus-visible:-outline-offset-2", selected && "bg-tint hover:bg-tint")}
      >
        <Avatar name={chat.contact.name} src={chat.contact.avatar} size={40} status={chat.contact.status} />
        <Badge count={chat.unreadCount} className="absolute top-0.5 right-0.5" />
      </button>
    </Tooltip>
  );
}
