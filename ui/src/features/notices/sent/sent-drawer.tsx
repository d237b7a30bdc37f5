import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { SentMessage } from "@/api/schema";
import { Avatar } from "@/components/avatar";
import { Drawer } from "@/components/drawer";
import { DrawerHead } from "@/components/drawer-head";
import { ErrorState } from "@/components/error-state";
import { SkeletonRows } from "@/components/skeleton";
import { formatNumber, panelTime } from "@/lib/format";
import { sentMessageQuery } from "./data";
import { ReadBy } from "./receivers";

function People({ title, people }: { title: string; people: SentMessage["receivers"] }) {
  if (people.length === 0) return null;
  return (
    <section className="mt-6">
      <h3 className="mb-1 text-sm font-semibold text-ink">{title}</h3>
      <ul className="divide-y divide-hover">
        {people.map(({ memberId, name, readAt }) => (
          <li key={memberId} className="flex items-center gap-3 py-2.5">
            <Avatar name={name} size={32} />
            <span className="min-w-0 flex-1 truncate text-ink">{name}</span>
            {readAt && (
              <time dateTime={readAt} className="text-sm whitespace-nowrap text-muted">
                {panelTime(readAt)}
              </time>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A sent message: its text, who has read it and when, and who has not. */
export function SentDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(sentMessageQuery(id));
  const title = data?.title ?? t("ui.messages.sent");
  const read = data?.receivers.filter(({ readAt }) => readAt) ?? [];
  const unread = data?.receivers.filter(({ readAt }) => !readAt) ?? [];
  return (
    <Drawer label={title} isOpen onOpenChange={onClose} className="sm:!w-120">
      <DrawerHead title={title} onClose={onClose} />
      <div className="min-h-0 flex-1 overflow-y-auto px-5 py-5 sm:px-6">
        {data ? (
          <>
            <p className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
              <time dateTime={data.createdAt} className="text-sm text-muted">
                {panelTime(data.createdAt)}
              </time>
              <ReadBy message={data} />
            </p>
            <p dir="auto" className="mt-3 whitespace-pre-line text-body [overflow-wrap:anywhere]">
              {data.text}
            </p>
            <People title={t("ui.messages.whoRead", { number: formatNumber(read.length) })} people={read} />
            <People title={t("ui.messages.whoNot", { number: formatNumber(unread.length) })} people={unread} />
          </>
        ) : error ? (
          <ErrorState error={error} onRetry={() => void refetch()} />
        ) : (
          <SkeletonRows rows={5} />
        )}
      </div>
    </Drawer>
  );
}
