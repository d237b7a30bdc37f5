import { memo } from "react";
import { useTranslation } from "react-i18next";
import type { ChatMessage } from "@/api/schema";
import { Avatar } from "@/components/avatar";
import { Attached } from "@/features/content/attached";
import { Cards } from "@/features/content/cards";
import { MessageText } from "@/features/content/message-text";
import { Reactions } from "@/features/content/reactions";
import { cx } from "@/lib/cx";
import { shortTime } from "@/lib/format";
import { useNames, usePeople } from "./chat-context";
import { EventText } from "./event-text";
import { type MessageActions, MessageTools } from "./message-tools";
import { ReadMarks } from "./read-marks";

export const bubble = (isMine: boolean, last: boolean) =>
  cx(
    "max-w-full rounded-[14px] px-3.25 py-2.25 whitespace-pre-wrap [overflow-wrap:anywhere]",
    isMine ? "bg-primary text-on-primary" : "bg-hover text-body",
    last && (isMine ? "rounded-br-[4px]" : "rounded-bl-[4px]"),
  );

function Author({ id }: { id: string }) {
  const person = usePeople()(id);
  return (
    <span className="mb-1 flex max-w-full items-center gap-2 text-xs font-semibold text-soft">
      <Avatar name={person.name} src={person.avatar} size={20} />
      <span dir="auto" className="truncate">
        {person.name}
      </span>
    </span>
  );
}

/** Names the author for screen readers, where the page shows the author by position. */
function Speaker({ message }: { message: ChatMessage }) {
  const { t } = useTranslation();
  const person = usePeople();
  const name = message.isMine ? t("ui.chat.youFirst") : person(message.contactId).name;
  return <span className="sr-only">{t("ui.chat.says", { name })} </span>;
}

export interface MessageRowProps {
  message: ChatMessage;
  me: string;
  isGroup: boolean;
  first: boolean;
  last: boolean;
  timed: boolean;
  /** Whether the tools are shown. */
  active: boolean;
  /** Whether it is the log's Tab stop. */
  stop: boolean;
  /** Whether it is highlighted. */
  marked: boolean;
  /** Ids of the members who have read up to here, joined by spaces. */
  readers: string;
  actions: MessageActions;
  onPoint: (id: string) => void;
  onHold: (held: boolean) => void;
  onFollow?: (() => void) | undefined;
}

/** One message with its attachments, reactions and tools. */
export const MessageRow = memo(function MessageRow(props: MessageRowProps) {
  const { message, me, isGroup, first, last, timed, active, stop, marked, readers, actions, onPoint, onHold, onFollow } = props;
  const { t } = useTranslation();
  const names = useNames();
  const { isMine, removed } = message;
  const isEvent = message.kind === "event";
  const point = { onPointerMove: () => onPoint(message.id), onFocus: () => onPoint(message.id) };
  const common = {
    "data-message": message.id,
    tabIndex: stop ? 0 : -1,
  };
  const marks = readers !== "" && <ReadMarks readers={readers.split(" ")} isGroup={isGroup} />;
  if (isEvent) {
    return (
      <li
        {...common}
        {...point}
        className="my-2 flex max-w-full flex-col items-center self-center rounded-lg px-2 text-center text-xs text-muted"
      >
        <span dir="auto">
          <EventText message={message} />
        </span>
        {marks}
      </li>
    );
  }
  return (
    <li
      {...common}
      {...point}
      className={cx(
        "relative flex max-w-[82%] min-w-12 flex-col rounded-[14px] transition-shadow duration-500 @min-[720px]:max-w-[68%]",
        isMine ? "items-end self-end" : "items-start self-start",
        last ? "mb-2.5" : timed ? "mb-1.5" : "mb-0.5",
        marked && "ring-4 ring-primary-300",
      )}
    >
      {first && isGroup && !isMine ? <Author id={message.contactId} /> : first && <Speaker message={message} />}
      {active && !removed && <MessageTools message={message} actions={actions} onHold={onHold} />}
      {removed ? (
        <p className="max-w-full rounded-[14px] border border-dashed border-line-strong px-3.25 py-2 text-muted italic">
          {t("ui.chat.removed")}
        </p>
      ) : (
        message.value !== "" && (
          <p dir="auto" className={bubble(isMine, last && message.attachments.length === 0)}>
            <MessageText value={message.value} mentions={message.mentions} references={message.references} me={me} isMine={isMine} />
          </p>
        )
      )}
      {message.attachments.length > 0 && (
        <div className={cx("max-w-full", message.value !== "" && "mt-1")}>
          <Attached attachments={message.attachments} isMine={isMine} />
        </div>
      )}
      {message.references.length > 0 && <Cards references={message.references} onFollow={onFollow} />}
      {message.reactions.length > 0 && (
        <Reactions reactions={message.reactions} me={me} names={names} onReact={(emoji, on) => actions.react(message, emoji, on)} />
      )}
      {(timed || message.editedAt || marks) && (
        <span className="mt-0.75 flex items-center gap-0.5">
          {message.editedAt && !removed && <span className="mx-1 text-2xs text-muted">{t("ui.chat.edited")}</span>}
          {timed && (
            <time dateTime={message.createdAt} className="mx-1 text-2xs text-muted">
              {shortTime(message.createdAt)}
            </time>
          )}
          {marks}
        </span>
      )}
    </li>
  );
});
