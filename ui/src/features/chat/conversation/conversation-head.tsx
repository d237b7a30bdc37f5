import { ArrowLeft, Bell, BellOff, Ellipsis, ListChecks, Maximize2, Search, UserRound, Users, X } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Chat } from "@/api/schema";
import { IconButton } from "@/components/icon-button";
import { Menu, MenuItem, MenuPopover } from "@/components/menu";
import { cx } from "@/lib/cx";
import { useMenuTrigger } from "@/lib/use-menu-trigger";
import { ChatAvatar } from "../chat-avatar";
import { useContactStatus } from "../status";
import { useWriters } from "../typing";
import { useNames } from "./chat-context";
import { useChangeChat } from "./data";

/** The members who are present, or who are typing. */
function Line({ chat }: { chat: Chat }) {
  const { t } = useTranslation();
  const writers = useWriters(chat.id);
  const names = useNames();
  const status = useContactStatus(chat.contact);
  const isGroup = chat.kind === "group";
  const count = chat.group?.members.length ?? 0;
  return (
    <p className={cx("truncate text-sm", writers.length > 0 ? "text-accent" : status === "online" && !isGroup ? "text-ok" : "text-muted")}>
      <span role="status">{writers.length > 0 && t("ui.chat.typing", { count: writers.length, names: names(writers) })}</span>
      {writers.length === 0 && (isGroup ? t("ui.chat.memberCount", { count }) : t(`ui.status.${status ?? "offline"}`))}
    </p>
  );
}

export interface ConversationHeadProps {
  chat: Chat;
  onSearch: () => void;
  onInfo: () => void;
  onBack?: (() => void) | undefined;
  onExpand?: (() => void) | undefined;
  onClose?: (() => void) | undefined;
}

/** The participants of the conversation, and its commands. */
export function ConversationHead({ chat, onSearch, onInfo, onBack, onExpand, onClose }: ConversationHeadProps) {
  const { t } = useTranslation();
  const { button, menu } = useMenuTrigger();
  const { mutate } = useChangeChat(chat.id);
  const isGroup = chat.kind === "group";
  return (
    <header className="flex min-h-16 items-center gap-1 border-b border-line py-2 pr-2.5 pl-3.5">
      {onBack && <IconButton label={t("ui.chat.backToList")} icon={ArrowLeft} onClick={onBack} className="-ml-2 lg:hidden" />}
      <ChatAvatar chat={chat} size={36} status={false} className="mr-2" />
      <div className="min-w-0 flex-1">
        <h2 dir="auto" className="flex min-w-0 items-center gap-1.5 font-semibold text-ink">
          <span className="truncate">{chat.contact.name}</span>
          {chat.muted && <BellOff aria-label={t("ui.chat.muted")} role="img" size={14} className="shrink-0 text-muted" />}
        </h2>
        <Line chat={chat} />
      </div>
      <IconButton label={t("ui.chat.chatActions")} icon={Ellipsis} {...button} active={menu.isOpen} />
      <MenuPopover {...menu}>
        <Menu aria-label={t("ui.chat.chatActions")}>
          <MenuItem icon={isGroup ? <Users aria-hidden size={16} /> : <UserRound aria-hidden size={16} />} onAction={onInfo}>
            {isGroup ? t("ui.chat.showGroup") : t("ui.chat.showContact")}
          </MenuItem>
          <MenuItem icon={<Search aria-hidden size={16} />} onAction={onSearch}>
            {t("ui.chat.searchHere")}
          </MenuItem>
          <MenuItem
            icon={chat.muted ? <Bell aria-hidden size={16} /> : <BellOff aria-hidden size={16} />}
            onAction={() => mutate({ muted: !chat.muted })}
          >
            {chat.muted ? t("ui.chat.unmute") : t("ui.chat.mute")}
          </MenuItem>
          {onExpand && (
            <MenuItem icon={<Maximize2 aria-hidden size={16} />} onAction={onExpand}>
              {t("ui.chat.openPage")}
            </MenuItem>
          )}
          <MenuItem icon={<ListChecks aria-hidden size={16} />} onAction={() => mutate({ unreadCount: 1 })}>
            {t("ui.chat.markUnread")}
          </MenuItem>
        </Menu>
      </MenuPopover>
      {onExpand && <IconButton label={t("ui.chat.openPage")} icon={Maximize2} onClick={onExpand} className="max-sm:hidden" />}
      {onClose && <IconButton label={t("ui.action.close")} icon={X} onClick={onClose} />}
    </header>
  );
}
