import { useQuery } from "@tanstack/react-query";
import { Bell, Mail, MailOpen, SquarePen } from "lucide-react";
import { type RefObject, startTransition, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { ButtonLink } from "@/components/button-link";
import { EmptyState } from "@/components/empty-state";
import { ErrorState } from "@/components/error-state";
import { IconButton } from "@/components/icon-button";
import { Panel } from "@/components/panel";
import { SkeletonRows } from "@/components/skeleton";
import { useMay } from "@/features/account/data";
import { compose } from "./compose/store";
import { type NoticeKind, noticesQuery, useMarkAllAsRead, useMarkSeen } from "./data";
import { NoticeItem } from "./notice-item";

export interface NoticePanelProps {
  kind: NoticeKind;
  unread: number;
  triggerRef: RefObject<Element | null>;
  isOpen: boolean;
  onOpenChange: (open: boolean) => void;
}

/** Items rendered first: more than a screen has room for. */
const firstItems = 12;
const emptyIcons = { messages: Mail, notifications: Bell };

/** The panel of messages or notifications, newest first. */
export default function NoticePanel({ kind, unread, ...panel }: NoticePanelProps) {
  const { t } = useTranslation();
  const maySend = useMay("messages.send");
  const { data, error, refetch } = useQuery(noticesQuery(kind));
  const markAll = useMarkAllAsRead(kind);
  const box = useRef<HTMLDivElement>(null);
  const [whole, setWhole] = useState(false);
  useEffect(() => startTransition(() => setWhole(true)), []);
  useMarkSeen(kind);
  const close = () => panel.onOpenChange(false);
  return (
    <Panel
      title={t(`ui.${kind}.title`)}
      actions={
        <>
          {kind === "messages" && maySend && (
            <IconButton
              label={t("ui.messages.new")}
              icon={SquarePen}
              size="sm"
              tone="inverse"
              onClick={() => {
                close();
                compose();
              }}
            />
          )}
          <IconButton
            label={t("ui.notices.markAllAsRead")}
            icon={MailOpen}
            size="sm"
            tone="inverse"
            disabled={unread === 0}
            onClick={() => {
              // The button becomes disabled, which would lose the focus.
              box.current?.focus();
              markAll.mutate();
            }}
          />
        </>
      }
      footer={
        <ButtonLink to={`/${kind}`} variant="ghost" size="sm" wide onClick={close}>
          {t(`ui.${kind}.seeAll`)}
        </ButtonLink>
      }
      {...panel}
    >
      <div ref={box} tabIndex={-1} className="outline-none">
        {data && data.length > 0 ? (
          <ul>
            {(whole ? data : data.slice(0, firstItems)).map((notice) => (
              <NoticeItem key={notice.id} kind={kind} notice={notice} onFollow={close} />
            ))}
          </ul>
        ) : data ? (
          <EmptyState icon={emptyIcons[kind]} title={t(`ui.${kind}.empty`)} text={t(`ui.${kind}.emptyText`)} />
        ) : error ? (
          <ErrorState error={error} onRetry={() => void refetch()} />
        ) : (
          <SkeletonRows className="p-4.5" />
        )}
      </div>
    </Panel>
  );
}
