import { Ellipsis, Pencil, SmilePlus, Trash2 } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Comment } from "@/api/schema";
import { Avatar } from "@/components/avatar";
import { IconButton } from "@/components/icon-button";
import { Menu, MenuButton, MenuItem } from "@/components/menu";
import { useMay, useUser } from "@/features/account/data";
import { Attached } from "@/features/content/attached";
import { Cards } from "@/features/content/cards";
import { EmojiButton } from "@/features/content/emoji-picker";
import { MessageText } from "@/features/content/message-text";
import { Reactions } from "@/features/content/reactions";
import { useMembers } from "@/features/team/data";
import { listOf } from "@/lib/format";
import { EntryTime, useActorName } from "./entry";

export interface CommentEntryProps {
  comment: Comment;
  onEdit: () => void;
  onRemove: () => void;
  onReact: (emoji: string, on: boolean) => void;
}

/** A comment with its files, cards, reactions and commands. */
export function CommentEntry({ comment, onEdit, onRemove, onReact }: CommentEntryProps) {
  const { t } = useTranslation();
  const { id: me } = useUser();
  const { find } = useMembers();
  const nameOf = useActorName();
  const mayWrite = useMay("comments.write");
  const mayRemoveAny = useMay("comments.delete");
  const { value, attachments, mentions, references, reactions, createdBy, editedAt } = comment;
  const isOwn = createdBy === me;
  const mayRemove = mayWrite && (isOwn || mayRemoveAny);
  const names = (ids: string[]) => listOf(ids.map((id) => (id === me ? t("ui.chat.you") : nameOf(id))));
  return (
    <>
      <Avatar name={nameOf(createdBy)} src={find(createdBy)?.avatar} size={28} className="z-1 rounded-full ring-4 ring-surface" />
      <div className="min-w-0 flex-1 pt-1">
        <div className="flex min-h-5 items-center gap-1">
          <p className="min-w-0 flex-1 truncate">
            <b dir="auto" className="font-medium text-ink">
              {nameOf(createdBy)}
            </b>
            {editedAt && <span className="ml-1.5 text-xs text-muted">{t("ui.chat.edited")}</span>}
          </p>
          {mayWrite && (
            <EmojiButton
              onPick={(emoji) => onReact(emoji, true)}
              button={(attributes) => (
                <IconButton {...attributes} label={t("ui.chat.react")} icon={SmilePlus} size="sm" className="-my-1.5" />
              )}
            />
          )}
          {mayRemove && (
            <MenuButton
              button={(attributes) => (
                <IconButton label={t("ui.timeline.actions")} icon={Ellipsis} size="sm" className="-my-1.5" {...attributes} />
              )}
            >
              <Menu aria-label={t("ui.timeline.actions")}>
                {isOwn && (
                  <MenuItem icon={<Pencil aria-hidden size={16} />} onAction={onEdit}>
                    {t("ui.timeline.edit")}
                  </MenuItem>
                )}
                <MenuItem danger icon={<Trash2 aria-hidden size={16} />} onAction={onRemove}>
                  {t("ui.timeline.remove")}
                </MenuItem>
              </Menu>
            </MenuButton>
          )}
          <EntryTime at={comment.createdAt} />
        </div>
        {value !== "" && (
          <p dir="auto" className="mt-1.5 rounded-xl bg-hover px-3.5 py-2.5 whitespace-pre-wrap text-body [overflow-wrap:anywhere]">
            <MessageText value={value} mentions={mentions} references={references} me={me} isMine={false} />
          </p>
        )}
        {attachments.length > 0 && (
          <div className="mt-1.5">
            <Attached attachments={attachments} isMine={false} />
          </div>
        )}
        {references.length > 0 && <Cards references={references} />}
        <Reactions reactions={reactions} me={me} names={names} onReact={onReact} />
      </div>
    </>
  );
}
