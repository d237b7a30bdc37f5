import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Chat, ChatFound } from "@/api/schema";
import { ErrorState } from "@/components/error-state";
import { IconButton } from "@/components/icon-button";
import { Marked } from "@/components/marked";
import { SearchField } from "@/components/search-field";
import { formatDate, mediumDate, shortTime } from "@/lib/format";
import { markMatches } from "@/lib/match";
import { useDebounced } from "@/lib/use-debounced";
import { isoDay } from "@/lib/zone";
import { usePeople } from "./chat-context";
import { foundQuery } from "./data";

/** Formats the time of a message as short as possible. */
export const when = (at: string) => {
  const day = isoDay(new Date(at));
  if (day === isoDay()) return shortTime(at);
  return day.slice(0, 4) === isoDay().slice(0, 4) ? formatDate(at, { month: "short", day: "numeric" }) : mediumDate(at);
};

/** Returns the text around a match that is far within. */
export function around(text: string, query: string): string {
  const line = text.replace(/\s+/g, " ");
  const before = markMatches(line, query);
  const first = before[0];
  if (!first || first.hit || first.text.length < 60) return line;
  return `…${line.slice(first.text.length - 40)}`;
}

export function Hit({ found: { message }, query, title, onPick }: { found: ChatFound; query: string; title: string; onPick: () => void }) {
  return (
    <button
      type="button"
      data-row
      onClick={onPick}
      className="block w-full rounded-lg px-3 py-2 text-left hover:bg-hover focus-visible:-outline-offset-2"
    >
      <span className="flex items-baseline gap-2">
        <span dir="auto" className="min-w-0 flex-1 truncate text-sm font-medium text-ink">
          {title}
        </span>
        <time dateTime={message.createdAt} className="shrink-0 text-xs text-muted">
          {when(message.createdAt)}
        </time>
      </span>
      <span dir="auto" className="line-clamp-2 text-sm text-soft [overflow-wrap:anywhere]">
        <Marked pieces={markMatches(around(message.value, query), query)} />
      </span>
    </button>
  );
}

/** Searches the messages of this conversation. */
export function SearchHere({ chat, onPick, onClose }: { chat: Chat; onPick: (messageId: string) => void; onClose: () => void }) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const query = useDebounced(text.trim(), 250);
  const { data, error, refetch, isPending } = useQuery({ ...foundQuery(query, chat.id), placeholderData: (before) => before });
  const person = usePeople();
  const bar = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Waits until the menu that opened it has returned the focus.
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => bar.current?.querySelector("input")?.focus());
    });
    return () => cancelAnimationFrame(frame);
  }, []);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape in the empty field closes the search
    <div
      ref={bar}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || text) return;
        event.stopPropagation();
        onClose();
      }}
      className="flex max-h-[60%] shrink-0 flex-col border-b border-line bg-sunken"
    >
      <div className="flex items-center gap-1 py-2 pr-2.5 pl-3.5">
        <SearchField label={t("ui.chat.searchHere")} value={text} onChange={setText} className="flex-1" />
        <IconButton label={t("ui.chat.closeSearch")} icon={X} size="sm" onClick={onClose} />
      </div>
      {query.length >= 2 && (
        <div className="min-h-0 overflow-y-auto px-1 pb-2">
          {error ? (
            <ErrorState error={error} onRetry={() => void refetch()} />
          ) : (
            <>
              <p role="status" className={data && data.length > 0 ? "sr-only" : "px-3 py-2 text-muted"}>
                {data ? (data.length > 0 ? t("ui.search.found", { count: data.length }) : t("ui.search.none")) : isPending && ""}
              </p>
              <ul>
                {data?.map((found) => (
                  <li key={found.message.id}>
                    <Hit
                      found={found}
                      query={query}
                      title={found.message.isMine ? t("ui.chat.youFirst") : person(found.message.contactId).name}
                      onPick={() => onPick(found.message.id)}
                    />
                  </li>
                ))}
              </ul>
            </>
          )}
        </div>
      )}
    </div>
  );
}
