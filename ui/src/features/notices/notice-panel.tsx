import { useQuery } from "@tanstack/react-query";
import { Bell, Mail, MailCheck, X } from "lucide-react";
import type { RefObject } from "react";
import { useTranslation } from "react-i18next";
import type { Notice } from "@/api/schema";
import { Avatar } from "@/components/avatar";
import { EmptyState } from "@/components/empty-state";
import { ErrorState } from "@/components/error-state";
import { Html } from "@/components/html";
import { Icon } from "@/components/icon";
import { IconButton } from "@/components/icon-button";
import { Panel } from "@/components/panel";
import { SafeLink } from "@/components/safe-link";
import { SkeletonRows } from "@/components/skeleton";
import { Tooltip } from "@/components/tooltip";
import { cx } from "@/lib/cx";
import { panelTime } from "@/lib/format";
import { type NoticeKind, noticesQuery, useMarkAllAsRead, useMarkSeen, useRemoveNotice, useToggleRead } from "./data";

export interface NoticePanelProps {
  kind: NoticeKind;
  unread: number;
  triggerRef: RefObject<Element | null>;
  isOpen: boolean;
  onOpenChange: (open: boolean) => void;
}

const emptyIcons = { messages: Mail, notifications: Bell };

function Picture({ notice }: { notice: Notice }) {
  if (notice.image)
    return /^[/]|^https?:/.test(notice.image) ? (
      <img src={notice.image} alt="" className="size-9 shrink-0 rounded-full object-cover" />
    ) : (
      <Avatar name={notice.image} />
    );
  return (
    <span className="grid size-9 shrink-0 place-items-center rounded-full bg-hover text-soft">
      <Icon name={notice.icon ?? "bell"} size={18} />
    </span>
  );
}

function Item({ kind, notice, onFollow }: { kind: NoticeKind; notice: Notice; onFollow: () => void }) {
  const { t } = useTranslation();
  const toggle = useToggleRead(kind);
  const remove = useRemoveNotice(kind);
  const label = t(notice.read ? "ui.notices.markAsUnread" : "ui.notices.markAsRead");
  return (
    <li
      className={cx(
        "group/item relative flex gap-3 border-b border-hover py-3.5 pr-3 pl-4.5 last:border-0 hover:bg-sunken",
        !notice.read && "bg-sunken",
      )}
    >
      <Picture notice={notice} />
      <SafeLink
        link={notice.link}
        useRouter={notice.useRouter}
        className="min-w-0 flex-1 rounded-md"
        onClick={() => {
          if (!notice.read) toggle.mutate({ ...notice, read: true });
          onFollow();
        }}
      >
        {notice.title && (
          <Html as="p" html={notice.title} className={cx("truncate text-ink", notice.read ? "font-medium" : "font-semibold")} />
        )}
        {notice.description && (
          <Html html={notice.description} className="line-clamp-2 text-soft [&_a]:text-accent [&_strong]:font-semibold" />
        )}
        <time dateTime={notice.time} className="text-xs text-muted">
          {panelTime(notice.time)}
        </time>
        {!notice.read && <span className="sr-only">{t("ui.notices.unread")}</span>}
      </SafeLink>
      <span className="flex shrink-0 flex-col">
        <Tooltip text={label}>
          <button
            type="button"
            aria-label={label}
            onClick={() => toggle.mutate({ ...notice, read: !notice.read })}
            className={cx(
              "grid size-7 place-items-center rounded-lg hover:bg-hover",
              notice.read && "md:opacity-0 group-focus-within/item:opacity-100 group-hover/item:opacity-100",
            )}
          >
            <span className={cx("size-2 rounded-full", notice.read ? "bg-gray-400" : "bg-primary")} />
          </button>
        </Tooltip>
        <Tooltip text={t("ui.notices.remove")}>
          <button
            type="button"
            aria-label={t("ui.notices.remove")}
            onClick={(event) => {
              // The button goes with its item: the panel keeps the focus, so that Escape still closes it.
              event.currentTarget.closest<HTMLElement>('[role="dialog"]')?.focus();
              remove.mutate(notice.id);
            }}
            className="grid size-7 place-items-center rounded-lg text-muted hover:bg-hover hover:text-ink md:opacity-0 group-focus-within/item:opacity-100 group-hover/item:opacity-100"
          >
            <X aria-hidden size={14} />
          </button>
        </Tooltip>
      </span>
    </li>
  );
}

/** Messages or notifications, newest first. */
export default function NoticePanel({ kind, unread, ...panel }: NoticePanelProps) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(noticesQuery(kind));
  const markAll = useMarkAllAsRead(kind);
  useMarkSeen(kind);
  return (
    <Panel
      title={t(`ui.${kind}.title`)}
      actions={
        <IconButton
          label={t("ui.notices.markAllAsRead")}
          icon={MailCheck}
          size="sm"
          tone="inverse"
          disabled={unread === 0}
          onClick={() => markAll.mutate()}
        />
      }
      {...panel}
    >
      {data && data.length > 0 ? (
        <ul>
          {data.map((notice) => (
            <Item key={notice.id} kind={kind} notice={notice} onFollow={() => panel.onOpenChange(false)} />
          ))}
        </ul>
      ) : data ? (
        <EmptyState icon={emptyIcons[kind]} title={t(`ui.${kind}.empty`)} text={t(`ui.${kind}.emptyText`)} />
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <SkeletonRows className="p-4.5" />
      )}
    </Panel>
  );
}
