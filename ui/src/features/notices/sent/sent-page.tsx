import { useInfiniteQuery } from "@tanstack/react-query";
import { Send } from "lucide-react";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate, useParams } from "react-router";
import type { SentMessage } from "@/api/schema";
import { Card } from "@/components/card";
import { EmptyState } from "@/components/empty-state";
import { ErrorState } from "@/components/error-state";
import { MoreRows } from "@/components/more-rows";
import { Column, Page } from "@/components/page";
import { PageHead } from "@/components/page-head";
import { SkeletonRows } from "@/components/skeleton";
import { cx } from "@/lib/cx";
import { formatNumber, panelTime } from "@/lib/format";
import { useListKeys } from "@/lib/use-list-keys";
import { useTitle } from "@/shell/use-title";
import { MessagesTabs, NewMessageButton } from "../messages-tabs";
import { sentMessagesQuery } from "./data";
import { Faces, ReadBy, useReceivers } from "./receivers";
import { SentDrawer } from "./sent-drawer";

function Row({ message, current }: { message: SentMessage; current: boolean }) {
  const receivers = useReceivers();
  return (
    <li
      className={cx(
        "relative flex gap-3 border-b border-hover px-4.5 py-3.5 last:border-0 hover:bg-sunken sm:px-5",
        current && "bg-tint-soft hover:bg-tint-soft",
      )}
    >
      <Faces message={message} />
      <div className="min-w-0 flex-1">
        <Link
          data-row
          to={`/messages/sent/${message.id}`}
          preventScrollReset
          className="block truncate font-medium text-ink after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-primary"
        >
          {message.title}
        </Link>
        <p className="truncate text-soft">{receivers(message)}</p>
        <p className="truncate text-muted">{message.text}</p>
        <p className="mt-1 flex flex-wrap items-center gap-x-4 gap-y-0.5 sm:hidden">
          <Told message={message} />
        </p>
      </div>
      <p className="flex shrink-0 flex-col items-end gap-1 max-sm:hidden">
        <Told message={message} />
      </p>
    </li>
  );
}

function Told({ message }: { message: SentMessage }) {
  return (
    <>
      <time dateTime={message.createdAt} className="text-xs text-muted">
        {panelTime(message.createdAt)}
      </time>
      <ReadBy message={message} />
    </>
  );
}

/** The member's sent messages with the number of readers; an open one lists them. */
export function SentPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { id } = useParams();
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(sentMessagesQuery);
  const items = data?.pages.flatMap((part) => part.items) ?? [];
  const total = data?.pages[0]?.total ?? 0;
  const box = useRef<HTMLDivElement>(null);
  useTitle(t("ui.messages.sent"));
  useListKeys(box);
  const content = () => {
    if (!data) return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <SkeletonRows rows={6} className="p-5" />;
    if (items.length === 0) {
      return (
        <EmptyState icon={Send} title={t("ui.messages.noneSent")} text={t("ui.messages.noneSentText")} action={<NewMessageButton />} />
      );
    }
    return (
      <>
        <ul>
          {items.map((message) => (
            <Row key={message.id} message={message} current={message.id === id} />
          ))}
        </ul>
        {hasNextPage && <MoreRows label={t("ui.notices.more")} busy={isFetchingNextPage} onMore={() => void fetchNextPage()} />}
      </>
    );
  };
  return (
    <Page>
      <PageHead
        title={t("ui.messages.title")}
        lead={
          data ? (
            t("ui.messages.sentLead", { count: total, number: formatNumber(total) })
          ) : (
            <span className="invisible">{t("ui.messages.sent")}</span>
          )
        }
        actions={items.length > 0 && <NewMessageButton />}
      />
      <Column>
        <MessagesTabs />
        <Card flush>
          <div ref={box}>{content()}</div>
        </Card>
      </Column>
      {id && <SentDrawer key={id} id={id} onClose={() => void navigate("/messages/sent", { preventScrollReset: true })} />}
    </Page>
  );
}
