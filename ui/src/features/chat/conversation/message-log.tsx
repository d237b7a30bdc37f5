import { ArrowDown } from "lucide-react";
import { Fragment, type KeyboardEvent, useCallback, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Badge } from "@/components/badge";
import { Button } from "@/components/button";
import { cx } from "@/lib/cx";
import type { ConversationState } from "../cache";
import { groupMessages } from "../message-groups";
import { Day, NewLine } from "./day";
import { MessageRow } from "./message-row";
import type { MessageActions } from "./message-tools";
import type { Outgoing } from "./outbox";
import { OutgoingRow } from "./outgoing-row";
import type { Scroll } from "./use-scroll";

export interface MessageLogProps {
  conversation: ConversationState;
  pending: Outgoing[];
  me: string;
  scroll: Scroll;
  /** The first new message; a line is shown above it. */
  newFrom: string | undefined;
  /** The message to highlight. */
  marked: string | undefined;
  readers: Map<string, string>;
  /** Messages that arrived while the log was not scrolled to the end. */
  unseen: number;
  busy: boolean;
  actions: MessageActions;
  onOlder: () => void;
  onLatest: () => void;
  onRetry: (message: Outgoing) => void;
  onDiscard: (message: Outgoing) => void;
  onFollow?: (() => void) | undefined;
}

/** The messages of a conversation, the newest at the bottom. Up and down move between them. */
export function MessageLog(props: MessageLogProps) {
  const {
    conversation,
    pending,
    me,
    scroll,
    newFrom,
    marked,
    readers,
    unseen,
    busy,
    actions,
    onOlder,
    onLatest,
    onRetry,
    onDiscard,
    onFollow,
  } = props;
  const { t } = useTranslation();
  const [pointed, setPointed] = useState<string>();
  const held = useRef(false);
  const point = useCallback((id: string | undefined) => {
    if (!held.current) setPointed(id);
  }, []);
  const hold = useCallback((now: boolean) => {
    held.current = now;
  }, []);

  const { messages, chat } = conversation;
  const isGroup = chat.kind === "group";
  const waiting = conversation.newer ? [] : pending;
  const placed = groupMessages([
    ...messages.map(({ contactId, createdAt, kind }) => ({ author: contactId, createdAt, event: kind === "event" })),
    ...waiting.map(({ createdAt }) => ({ author: me, createdAt })),
  ]);
  const stop = messages.some(({ id }) => id === pointed) ? pointed : messages.at(-1)?.id;

  const key = (event: KeyboardEvent<HTMLElement>) => {
    const row = (event.target as HTMLElement).closest<HTMLElement>("[data-message]");
    if (event.target !== row) {
      // Escape returns from a message's tools to the message.
      if (event.key === "Escape" && row) {
        event.stopPropagation();
        row.focus({ preventScroll: true });
      }
      return;
    }
    const rows = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-message]")];
    const at = rows.indexOf(row);
    const to = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: rows.length - 1 }[event.key];
    const next = to === undefined ? undefined : rows[to];
    if (next) {
      event.preventDefault();
      next.focus();
      next.scrollIntoView?.({ block: "nearest" });
    } else if (event.key === "Enter") {
      const tool = row.querySelector<HTMLElement>("[aria-haspopup=menu]");
      if (!tool) return;
      event.preventDefault();
      tool.click();
    }
  };

  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <div
        ref={scroll.box}
        role="log"
        aria-label={t("ui.chat.messagesWith", { name: chat.contact.name })}
        tabIndex={-1}
        onScroll={scroll.onScroll}
        onKeyDown={key}
        onPointerLeave={() => point(undefined)}
        className="@container flex min-h-0 flex-1 flex-col overflow-y-auto overscroll-contain px-3.5 py-4 outline-none [overflow-anchor:none]"
      >
        <div ref={scroll.content} className="flex min-h-full flex-col">
          {conversation.more && (
            <Button size="sm" variant="ghost" busy={busy} onClick={onOlder} className="mx-auto mb-3 shrink-0">
              {t("ui.chat.older")}
            </Button>
          )}
          {placed.length === 0 && <p className="m-auto text-muted">{t("ui.chat.noMessages")}</p>}
          <ul className="mt-auto flex flex-col">
            {messages.map((message, at) => {
              const { day, first, last, timed } = placed[at] ?? { day: undefined, first: true, last: true, timed: true };
              return (
                <Fragment key={message.id}>
                  {day && <Day day={day} />}
                  {message.id === newFrom && <NewLine />}
                  <MessageRow
                    message={message}
                    me={me}
                    isGroup={isGroup}
                    first={first}
                    last={last}
                    timed={timed}
                    active={message.id === pointed}
                    stop={message.id === stop}
                    marked={message.id === marked}
                    readers={readers.get(message.id) ?? ""}
                    actions={actions}
                    onPoint={point}
                    onHold={hold}
                    onFollow={onFollow}
                  />
                </Fragment>
              );
            })}
            {waiting.map((message, at) => {
              const { day, last } = placed[messages.length + at] ?? { day: undefined, last: true };
              return (
                <Fragment key={message.clientId}>
                  {day && <Day day={day} />}
                  <OutgoingRow message={message} me={me} last={last} onRetry={onRetry} onDiscard={onDiscard} />
                </Fragment>
              );
            })}
          </ul>
        </div>
      </div>
      {!scroll.atEnd && (
        <button
          type="button"
          onClick={onLatest}
          aria-label={unseen > 0 ? `${t("ui.chat.latest")}, ${t("ui.chat.unread", { count: unseen })}` : t("ui.chat.latest")}
          className={cx(
            "absolute right-4 bottom-3 grid size-10 place-items-center rounded-full border border-line bg-surface text-soft shadow-panel",
            "hover:text-ink animate-fade",
          )}
        >
          <ArrowDown aria-hidden size={20} />
          <Badge count={unseen} className="absolute -top-1 -right-1" />
        </button>
      )}
    </div>
  );
}
