import { useQuery, useQueryClient } from "@tanstack/react-query";
import { SendHorizontal, X } from "lucide-react";
import { type FormEvent, Fragment, useEffect, useLayoutEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { Chat } from "@/api/schema";
import { Avatar } from "@/components/avatar";
import { Button } from "@/components/button";
import { ErrorState } from "@/components/error-state";
import { IconButton } from "@/components/icon-button";
import { SkeletonRows } from "@/components/skeleton";
import { useUser } from "@/features/account/data";
import { cx } from "@/lib/cx";
import { useTextDraft } from "@/lib/drafts";
import { formatDate, shortTime } from "@/lib/format";
import { addDays, isoDay } from "@/lib/zone";
import { chatQuery, markRead, useHistory, useOutbox } from "./data";
import { type Line, type PlacedLine, place } from "./runs";

/** Characters a message may have. */
const limit = 4000;

function Day({ day }: { day: string }) {
  const { t } = useTranslation();
  const text =
    day === isoDay()
      ? t("ui.chat.today")
      : day === addDays(isoDay(), -1)
        ? t("ui.chat.yesterday")
        : formatDate(day, {
            weekday: "long",
            month: "long",
            day: "numeric",
            ...(day.slice(0, 4) !== isoDay().slice(0, 4) && { year: "numeric" }),
          });
  return (
    <li className="my-2.5 self-center text-xs text-muted">
      <time dateTime={day}>{text}</time>
    </li>
  );
}

function Bubble({ line, onRetry }: { line: PlacedLine; onRetry: () => void }) {
  const { t } = useTranslation();
  return (
    <li
      className={cx(
        "flex max-w-[82%] flex-col",
        line.isMine ? "items-end self-end" : "items-start self-start",
        line.last ? "mb-2" : "mb-0.5",
      )}
    >
      <p
        dir="auto"
        className={cx(
          "max-w-full rounded-[14px] px-3.25 py-2.25 whitespace-pre-wrap [overflow-wrap:anywhere]",
          line.isMine ? "bg-primary text-on-primary" : "bg-hover text-body",
          line.last && (line.isMine ? "rounded-br-[4px]" : "rounded-bl-[4px]"),
          line.state === "sending" && "opacity-65",
        )}
      >
        {line.value}
      </p>
      {line.state === "failed" ? (
        <span role="alert" className="mt-1 flex items-center gap-1 text-xs text-bad">
          {t("ui.chat.failed")}
          <button type="button" onClick={onRetry} className="rounded font-semibold underline">
            {t("ui.action.retry")}
          </button>
        </span>
      ) : line.state === "sending" ? (
        <span className="mx-1 mt-0.75 text-2xs text-muted">{t("ui.chat.sending")}</span>
      ) : (
        line.timed && (
          <time dateTime={line.createdAt} className="mx-1 mt-0.75 text-2xs text-muted">
            {shortTime(line.createdAt)}
          </time>
        )
      )}
    </li>
  );
}

/** One conversation: own words at the right, the other's at the left, the newest at the bottom. */
export function Conversation({ chat, onClose }: { chat: Chat; onClose: () => void }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(chatQuery(chat.id));
  const { pending, send, retry } = useOutbox(chat.id);
  const history = useHistory(chat.id);
  const [text, setText] = useTextDraft(useUser().id, `chat.${chat.id}`);
  const scroller = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLTextAreaElement>(null);
  const place_ = useRef({ height: 0, atEnd: true, first: "" });

  const messages = data?.messages;
  const lines: Line[] = (messages ?? []).map((message) => ({
    key: message.id,
    value: message.value,
    isMine: message.isMine,
    createdAt: message.createdAt,
    state: "sent",
  }));
  for (const message of pending) {
    if (messages?.some((one) => one.clientId === message.clientId)) continue;
    lines.push({
      key: message.clientId,
      value: message.value,
      isMine: true,
      createdAt: message.createdAt,
      state: message.failed ? "failed" : "sending",
    });
  }
  const placed = place(lines);
  const first = placed[0]?.key ?? "";
  const last = placed.at(-1)?.key ?? "";

  const unread = chat.unreadCount > 0 || (data?.unreadCount ?? 0) > 0;
  useEffect(() => {
    if (unread && last) void markRead(client, chat.id);
  }, [client, chat.id, unread, last]);
  useEffect(() => input.current?.focus(), []);
  // The button for earlier ones goes with the last of them, and must not take the focus along.
  useEffect(() => {
    if (!history.more && document.activeElement === document.body) scroller.current?.focus({ preventScroll: true });
  }, [history.more]);

  // Stays at the end when it was there, and where it was when older ones came above.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the place is kept when the first or the last message changes
  useLayoutEffect(() => {
    const box = scroller.current;
    if (!box) return;
    const before = place_.current;
    if (before.atEnd) box.scrollTop = box.scrollHeight;
    else if (first !== before.first) box.scrollTop += box.scrollHeight - before.height;
    place_.current = { height: box.scrollHeight, atEnd: before.atEnd, first };
  }, [first, last]);

  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    const value = text.trim();
    if (value === "" || value.length > limit) return;
    place_.current.atEnd = true;
    setText("");
    void send(value);
    input.current?.focus();
  };

  return (
    <div className="flex min-w-0 flex-1 flex-col">
      <header className="flex min-h-16 items-center gap-3 border-b border-line py-3 pr-3 pl-3.5">
        <Avatar name={chat.contact.name} src={chat.contact.avatar} size={36} />
        <div className="min-w-0 flex-1">
          <h2 className="truncate font-semibold text-ink">{chat.contact.name}</h2>
          {chat.contact.status && (
            <p className={cx("text-sm", chat.contact.status === "online" ? "text-ok" : "text-muted")}>
              {t(`ui.status.${chat.contact.status}`)}
            </p>
          )}
        </div>
        <IconButton label={t("ui.action.close")} icon={X} onClick={onClose} />
      </header>
      <div
        ref={scroller}
        role="log"
        aria-label={t("ui.chat.messagesWith", { name: chat.contact.name })}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
        tabIndex={0}
        onScroll={(event) => {
          const box = event.currentTarget;
          place_.current.atEnd = box.scrollHeight - box.scrollTop - box.clientHeight < 40;
        }}
        className="flex min-h-0 flex-1 flex-col overflow-y-auto overscroll-contain px-3.5 py-4 focus-visible:-outline-offset-2"
      >
        {error && !messages ? (
          <ErrorState error={error} onRetry={() => void refetch()} />
        ) : messages ? (
          <>
            {history.more && (
              <Button size="sm" variant="ghost" busy={history.isLoading} onClick={history.load} className="mx-auto mb-3 shrink-0">
                {t("ui.chat.older")}
              </Button>
            )}
            {placed.length === 0 && <p className="m-auto text-muted">{t("ui.chat.noMessages")}</p>}
            <ul className="mt-auto flex flex-col">
              {placed.map((line) => (
                <Fragment key={line.key}>
                  {line.day && <Day day={line.day} />}
                  <Bubble
                    line={line}
                    onRetry={() => {
                      const message = pending.find((one) => one.clientId === line.key);
                      if (!message) return;
                      // What was pressed goes.
                      input.current?.focus();
                      void retry(message);
                    }}
                  />
                </Fragment>
              ))}
            </ul>
          </>
        ) : (
          <SkeletonRows />
        )}
      </div>
      {text.length > limit && <p className="px-4 py-1.5 text-sm text-bad">{t("ui.chat.tooLong")}</p>}
      <form onSubmit={submit} className="flex items-end gap-2.5 border-t border-line py-3 pr-3.5 pl-3.5">
        <textarea
          ref={input}
          rows={1}
          aria-label={t("ui.chat.write")}
          placeholder={t("ui.chat.write")}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
              event.preventDefault();
              submit();
            }
          }}
          className="field-sizing-content max-h-40 min-h-9 min-w-0 flex-1 resize-none rounded-lg bg-transparent px-1 py-2 outline-none placeholder:text-muted focus-visible:outline-2 focus-visible:outline-primary"
        />
        <button
          type="submit"
          aria-label={t("ui.chat.send")}
          disabled={text.trim() === "" || text.length > limit}
          className="grid size-9 shrink-0 place-items-center rounded-control bg-primary text-on-primary transition-colors hover:bg-primary-hover disabled:opacity-50"
        >
          <SendHorizontal aria-hidden size={18} />
        </button>
      </form>
    </div>
  );
}
