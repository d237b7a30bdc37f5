import { Copy, Ellipsis, ListPlus, Pencil, SmilePlus, Trash2 } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { ChatMessage } from "@/api/schema";
import { IconButton } from "@/components/icon-button";
import { Menu, MenuItem, MenuPopover } from "@/components/menu";
import { EmojiButton } from "@/features/content/emoji-picker";
import { cx } from "@/lib/cx";
import { useMenuTrigger } from "@/lib/use-menu-trigger";

/** The commands of a message. */
export interface MessageActions {
  react: (message: ChatMessage, emoji: string, on: boolean) => void;
  edit: (message: ChatMessage) => void;
  remove: (message: ChatMessage) => void;
  copy: (message: ChatMessage) => void;
  /** Creates a task from it; absent without permission. */
  task?: (message: ChatMessage) => void;
}

/** Milliseconds in which a member can edit their message. */
const editableMs = 15 * 60_000;

/** Whether the member may still edit a message. */
export const mayChange = (message: ChatMessage) =>
  message.isMine && message.kind === "text" && !message.removed && Date.now() - Date.parse(message.createdAt) < editableMs;

export interface MessageToolsProps {
  message: ChatMessage;
  actions: MessageActions;
  /** Keeps the tools visible while one of their menus is open. */
  onHold: (held: boolean) => void;
}

/** The tools of a message with the pointer or the focus. */
export function MessageTools({ message, actions, onHold }: MessageToolsProps) {
  const { t } = useTranslation();
  const { button, menu } = useMenuTrigger(onHold);
  return (
    <div
      className={cx(
        // Beside the message if there is room, so that it covers no text.
        "absolute bottom-[calc(100%-0.75rem)] z-1 flex rounded-lg border border-line bg-surface shadow-control @min-[480px]:top-0.5 @min-[480px]:bottom-auto",
        message.isMine ? "right-1 @min-[480px]:right-[calc(100%+0.25rem)]" : "left-1 @min-[480px]:left-[calc(100%+0.25rem)]",
      )}
    >
      <EmojiButton
        placement={message.isMine ? "top end" : "top start"}
        onOpenChange={onHold}
        onPick={(emoji) => actions.react(message, emoji, true)}
        button={(attributes) => <IconButton {...attributes} label={t("ui.chat.react")} icon={SmilePlus} size="sm" />}
      />
      <IconButton label={t("ui.chat.messageActions")} icon={Ellipsis} size="sm" {...button} />
      <MenuPopover {...menu}>
        <Menu aria-label={t("ui.chat.messageActions")}>
          {message.value !== "" && (
            <MenuItem icon={<Copy aria-hidden size={16} />} onAction={() => actions.copy(message)}>
              {t("ui.chat.copy")}
            </MenuItem>
          )}
          {actions.task && message.value !== "" && (
            <MenuItem icon={<ListPlus aria-hidden size={16} />} onAction={() => actions.task?.(message)}>
              {t("ui.chat.makeTask")}
            </MenuItem>
          )}
          {mayChange(message) && (
            <MenuItem icon={<Pencil aria-hidden size={16} />} onAction={() => actions.edit(message)}>
              {t("ui.chat.editMessage")}
            </MenuItem>
          )}
          {mayChange(message) && (
            <MenuItem danger icon={<Trash2 aria-hidden size={16} />} onAction={() => actions.remove(message)}>
              {t("ui.chat.removeMessage")}
            </MenuItem>
          )}
        </Menu>
      </MenuPopover>
    </div>
  );
}
