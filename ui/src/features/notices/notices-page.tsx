import { useInfiniteQuery } from "@tanstack/react-query";
import { Bell, CircleCheck, Mail, MailOpen, SearchX } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Card } from "@/components/card";
import { LargeCheckbox } from "@/components/checkbox";
import { EmptyState } from "@/components/empty-state";
import { ErrorState } from "@/components/error-state";
import { MoreRows } from "@/components/more-rows";
import { Column, Page } from "@/components/page";
import { PageHead } from "@/components/page-head";
import { SearchField } from "@/components/search-field";
import { Segmented } from "@/components/segmented";
import { SkeletonRows } from "@/components/skeleton";
import { cx } from "@/lib/cx";
import { formatNumber } from "@/lib/format";
import { oneOf, recordId, searchText } from "@/lib/search-params";
import { useAddressQuery, useSearchText } from "@/lib/use-address";
import { useListKeys } from "@/lib/use-list-keys";
import { useTitle } from "@/shell/use-title";
import { BulkBar } from "./bulk-bar";
import { compose } from "./compose/store";
import { type NoticeKind, noticePartsQuery, useMarkAllAsRead, useMarkSeen, useUnread } from "./data";
import { MessagesTabs, NewMessageButton } from "./messages-tabs";
import { NoticeItem } from "./notice-item";
import { useNoticeActions } from "./use-notice-actions";

const parsers = { show: oneOf(["unread"]), q: searchText, to: recordId };
const emptyIcons = { messages: Mail, notifications: Bell };

/** All messages or notifications of a member, with filter, search and batch actions. */
function NoticesPage({ kind }: { kind: NoticeKind }) {
  const { t } = useTranslation();
  const { values, set } = useAddressQuery(parsers);
  const { show, q = "", to } = values;
  const unreadOnly = show === "unread";
  const { text, setText, clear: clearText } = useSearchText(q, set);
  useTitle(t(`ui.${kind}.title`));
  useMarkSeen(kind);

  const unread = useUnread(kind);
  const query = useInfiniteQuery(noticePartsQuery(kind, { unread: unreadOnly, q }));
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage, isFetchNextPageError, isPlaceholderData } = query;
  const items = data?.pages.flatMap((part) => part.items) ?? [];
  const [choice, setChoice] = useState<ReadonlySet<string>>(new Set());
  const chosen = items.filter(({ id }) => choice.has(id));
  const choose = (ids: string[], on: boolean) =>
    setChoice((before) => new Set(on ? [...before, ...ids] : [...before].filter((id) => !ids.includes(id))));

  const box = useRef<HTMLDivElement>(null);
  useListKeys(box);
  const { mark, remove } = useNoticeActions(kind);
  const markAll = useMarkAllAsRead(kind);
  /** The pressed button disappears: the list takes the focus. */
  const done = () => {
    setChoice(new Set());
    box.current?.focus({ preventScroll: true });
  };
  const removeChosen = () => {
    void remove(chosen);
    done();
  };
  const onKey = (event: KeyboardEvent) => {
    if (chosen.length === 0) return;
    if (event.key === "Delete") removeChosen();
    else if (event.key === "Escape") setChoice(new Set());
  };
  // The address parameter for writing to a message's sender.
  useEffect(() => {
    if (!to) return;
    compose({ to: [to] });
    set({ to: undefined });
  });
  const showAll = () => {
    clearText();
    set({ show: undefined, q: undefined });
  };

  const content = () => {
    if (!data) return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <SkeletonRows rows={8} className="p-5" />;
    if (items.length === 0) {
      if (q)
        return (
          <EmptyState
            icon={SearchX}
            title={t("ui.list.noMatch")}
            text={t("ui.list.noMatchText")}
            action={<Button onClick={showAll}>{t("ui.list.clearFilters")}</Button>}
          />
        );
      if (unreadOnly)
        return (
          <EmptyState
            icon={CircleCheck}
            title={t("ui.notices.allRead")}
            text={t(`ui.${kind}.allReadText`)}
            action={<Button onClick={showAll}>{t(`ui.${kind}.seeAll`)}</Button>}
          />
        );
      return <EmptyState icon={emptyIcons[kind]} title={t(`ui.${kind}.empty`)} text={t(`ui.${kind}.emptyText`)} />;
    }
    return (
      <>
        <ul className={cx("transition-opacity duration-150", isPlaceholderData && "opacity-60")}>
          {items.map((notice) => (
            <NoticeItem
              key={notice.id}
              kind={kind}
              notice={notice}
              choice={{ chosen: choice.has(notice.id), onChange: (on) => choose([notice.id], on) }}
            />
          ))}
        </ul>
        {isFetchNextPageError && <ErrorState error={error} onRetry={() => void fetchNextPage()} className="border-t border-hover" />}
        {hasNextPage && !isFetchNextPageError && (
          <MoreRows label={t("ui.notices.more")} busy={isFetchingNextPage} onMore={() => void fetchNextPage()} />
        )}
      </>
    );
  };

  return (
    <Page>
      <PageHead
        title={t(`ui.${kind}.title`)}
        lead={unread > 0 ? t(`ui.${kind}.unread`, { count: unread }) : t("ui.notices.allRead")}
        actions={
          <>
            <Button
              icon={MailOpen}
              disabled={unread === 0}
              onClick={() => {
                done();
                markAll.mutate();
              }}
            >
              {t("ui.notices.markAllAsRead")}
            </Button>
            {kind === "messages" && <NewMessageButton />}
          </>
        }
      />
      <Column>
        {kind === "messages" && <MessagesTabs />}
        <Card flush className="!overflow-clip">
          <div className="flex min-h-15 flex-wrap items-center gap-x-3 gap-y-2 border-b border-line px-4.5 py-3 sm:px-5">
            {items.length > 0 && (
              <LargeCheckbox
                aria-label={t("ui.notices.chooseAll")}
                checked={chosen.length === items.length}
                indeterminate={chosen.length > 0 && chosen.length < items.length}
                onChange={(event) =>
                  choose(
                    items.map(({ id }) => id),
                    event.target.checked,
                  )
                }
              />
            )}
            <Segmented
              label={t("ui.notices.show")}
              value={unreadOnly ? "unread" : "all"}
              onChange={(value) => set({ show: value === "unread" ? value : undefined })}
              options={[
                { value: "all", label: t("ui.notices.shows.all") },
                {
                  value: "unread",
                  label: unread > 0 ? t("ui.notices.shows.unreadCount", { number: formatNumber(unread) }) : t("ui.notices.shows.unread"),
                },
              ]}
            />
            <SearchField label={t(`ui.${kind}.search`)} value={text} onChange={setText} className="w-full sm:ml-auto sm:w-65" />
          </div>
          <div className="flex flex-col">
            {/* First in the focus order, but shown at the bottom: it floats over the end of the screen. */}
            {chosen.length > 0 && (
              <div className="sticky bottom-3 z-10 order-last mx-3 my-2 flex rounded-xl border border-line bg-surface py-2 pr-2 pl-4 shadow-panel">
                <BulkBar
                  chosen={chosen}
                  onMark={(action) => {
                    mark(action, chosen);
                    done();
                  }}
                  onRemove={removeChosen}
                  onClear={done}
                />
              </div>
            )}
            {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys belong to the items within */}
            <div ref={box} tabIndex={-1} onKeyDown={onKey} className="outline-none">
              {content()}
            </div>
          </div>
        </Card>
      </Column>
    </Page>
  );
}

export const MessagesPage = () => <NoticesPage kind="messages" />;
export const NotificationsPage = () => <NoticesPage kind="notifications" />;
