import { Reply, X } from "lucide-react";
import { type MouseEvent, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import type { Notice } from "@/api/schema";
import { useSession } from "@/api/session";
import { Avatar } from "@/components/avatar";
import { LargeCheckbox } from "@/components/checkbox";
import { Html } from "@/components/html";
import { Icon } from "@/components/icon";
import { SafeLink } from "@/components/safe-link";
import { Tooltip } from "@/components/tooltip";
import { useMay } from "@/features/account/data";
import { cx } from "@/lib/cx";
import { formatNumber, panelTime } from "@/lib/format";
import { isInAppPath } from "@/lib/links";
import { compose } from "./compose/store";
import type { NoticeKind } from "./data";
import { leadsElsewhere, senderOf } from "./sender";
import { useNoticeActions } from "./use-notice-actions";

/** Characters of HTML from which the page shows a text shortened. */
const longText = 480;

function Face({ notice }: { notice: Notice }) {
  if (notice.image)
    return /^[/]|^https?:/.test(notice.image) ? (
      <img src={notice.image} alt="" className="size-9 rounded-full object-cover" />
    ) : (
      <Avatar name={notice.image} />
    );
  if (notice.from) return <Avatar name={notice.from.name} />;
  return (
    <span className="grid size-9 place-items-center rounded-full bg-hover text-soft">
      <Icon name={notice.icon ?? "bell"} size={18} />
    </span>
  );
}

/** The sender's avatar or icon, and the number of items it stands for; the title has both, too. */
function Picture({ notice }: { notice: Notice }) {
  const { count = 1 } = notice;
  return (
    <span className="relative block size-9 shrink-0">
      <Face notice={notice} />
      {count > 1 && (
        <span
          aria-hidden
          className="absolute -right-1.5 -bottom-1 grid h-4.5 min-w-4.5 place-items-center rounded-full bg-primary px-1 text-[11px] leading-none font-semibold text-on-primary tabular-nums ring-2 ring-surface"
        >
          {count > 99 ? "99+" : formatNumber(count)}
        </span>
      )}
    </span>
  );
}

/** Visible on hover or keyboard focus; always on phones and touch screens. */
const quiet =
  "sm:[@media(hover:hover)]:opacity-0 focus-visible:!opacity-100 group-focus-within/item:opacity-100 group-hover/item:opacity-100";
const tool = "touchable grid size-7 place-items-center rounded-lg hover:bg-hover";

export interface NoticeItemProps {
  kind: NoticeKind;
  notice: Notice;
  /** Called when one of its links is followed. */
  onFollow?: () => void;
  /** On the page: selection, and the full text. */
  choice?: { chosen: boolean; onChange: (chosen: boolean) => void };
}

/** A message or notification. All of it is its link, and links in its text are separate. */
export function NoticeItem({ kind, notice, onFollow, choice }: NoticeItemProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { toggle, remove } = useNoticeActions(kind);
  const [whole, setWhole] = useState(false);
  const text = useId();
  const label = t(notice.read ? "ui.notices.markAsUnread" : "ui.notices.markAsRead");
  const shortened = (notice.description?.length ?? 0) > longText;
  const follow = () => {
    if (!notice.read) toggle(notice);
    onFollow?.();
  };
  const me = useSession((state) => state.user?.id);
  const maySend = useMay("messages.send");
  const sender = senderOf(notice);
  // A message from a colleague opens the answer, unless it has another link.
  const answer =
    kind === "messages" && maySend && notice.from && notice.from.memberId !== me
      ? () => {
          follow();
          compose({ answering: notice });
        }
      : undefined;
  const opens = answer && !leadsElsewhere(notice);
  const followInText = (event: MouseEvent<HTMLElement>) => {
    const href = (event.target as Element).closest("a")?.getAttribute("href");
    if (!href) return;
    const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (plain && isInAppPath(href)) {
      event.preventDefault();
      void navigate(href);
    }
    follow();
  };
  return (
    <li
      data-item
      className={cx(
        "group/item relative flex gap-3 border-b border-hover py-3.5 pr-3 pl-4.5 last:border-0 hover:bg-sunken",
        choice && "sm:pr-4 sm:pl-5",
        choice?.chosen ? "bg-tint-soft hover:bg-tint-soft" : !notice.read && "bg-sunken",
      )}
    >
      {opens ? (
        <button
          type="button"
          aria-labelledby={text}
          className="absolute inset-0 w-full cursor-pointer focus-visible:-outline-offset-2"
          onClick={answer}
        />
      ) : (
        <SafeLink
          link={notice.link}
          useRouter={notice.useRouter}
          labelledBy={text}
          className="absolute inset-0 focus-visible:-outline-offset-2"
          onClick={follow}
        />
      )}
      {choice && (
        <span className="relative z-1 -m-1.5 grid h-12 w-7 shrink-0 place-items-center">
          <LargeCheckbox
            data-row
            data-part="choice"
            aria-labelledby={text}
            checked={choice.chosen}
            onChange={(event) => choice.onChange(event.target.checked)}
          />
        </span>
      )}
      <Picture notice={notice} />
      {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: links in the text handle keys */}
      <div onClick={followInText} className="min-w-0 flex-1 [&_a]:relative [&_a]:z-1 [&_a]:text-accent [&_a]:underline">
        <span id={text} className="block">
          {notice.title && (
            <Html
              as="span"
              html={notice.title}
              className={cx(
                "block text-ink",
                choice ? "[overflow-wrap:anywhere]" : "truncate",
                notice.read ? "font-medium" : "font-semibold",
              )}
            />
          )}
          {!notice.title && notice.description && (
            <Html html={notice.description} className={cx("text-ink [overflow-wrap:anywhere]", !whole && "line-clamp-2")} />
          )}
          {/* Separates the two in the link's accessible name. */ " "}
          {!notice.read && <span className="sr-only">{t("ui.notices.unread")}</span>}
        </span>
        {notice.title && notice.description && (
          <Html
            html={notice.description}
            className={cx(
              "text-soft [overflow-wrap:anywhere] [&_:is(ul,ol)]:pl-5 [&_ol]:list-decimal [&_strong]:font-semibold [&_ul]:list-disc",
              choice ? shortened && !whole && "line-clamp-4" : "line-clamp-2",
            )}
          />
        )}
        {choice && shortened && (
          <button
            type="button"
            aria-expanded={whole}
            onClick={() => setWhole(!whole)}
            className="relative z-1 block rounded font-medium text-accent hover:underline"
          >
            {t(whole ? "ui.notices.showLess" : "ui.notices.showWhole")}
          </button>
        )}
        {sender && (
          <p data-part="sender" className="truncate text-xs text-muted">
            {notice.from?.memberId === me ? t("ui.notices.fromYou") : t("ui.notices.from", { name: sender })}
          </p>
        )}
        <p className="flex flex-wrap items-center gap-x-4">
          <time dateTime={notice.time} className="text-xs text-muted">
            {panelTime(notice.time)}
          </time>
          {answer && (
            <button
              type="button"
              data-part="answer"
              aria-label={t("ui.messages.answerTo", { name: notice.from?.name })}
              onClick={answer}
              className="fingertip relative z-1 inline-flex min-h-6 items-center gap-1 rounded text-xs font-medium text-accent hover:underline"
            >
              <Reply aria-hidden size={14} />
              {t("ui.messages.answer")}
            </button>
          )}
        </p>
      </div>
      <span className={cx("relative z-1 flex shrink-0 self-start", choice ? "max-sm:flex-col" : "flex-col")}>
        <Tooltip text={label}>
          <button
            type="button"
            aria-label={label}
            aria-describedby={text}
            data-part="toggle"
            onClick={() => toggle(notice)}
            className={cx(tool, notice.read && quiet)}
          >
            <span className={cx("size-2 rounded-full", notice.read ? "bg-gray-400" : "bg-primary")} />
          </button>
        </Tooltip>
        <Tooltip text={t("ui.notices.remove")}>
          <button
            type="button"
            aria-label={t("ui.notices.remove")}
            aria-describedby={text}
            data-part="remove"
            onClick={() => void remove([notice])}
            className={cx(tool, "text-muted hover:text-ink", quiet)}
          >
            <X aria-hidden size={14} />
          </button>
        </Tooltip>
      </span>
    </li>
  );
}
