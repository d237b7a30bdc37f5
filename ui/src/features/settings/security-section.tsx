import { useQuery } from "@tanstack/react-query";
import { Monitor, Smartphone } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { ButtonLink } from "@/components/button-link";
import { Card } from "@/components/card";
import { ConfirmDialog } from "@/components/confirm-dialog";
import { ErrorState } from "@/components/error-state";
import { SkeletonRows } from "@/components/skeleton";
import { StatusPill } from "@/components/status-pill";
import { ago, mediumDate, panelTime } from "@/lib/format";
import { toast } from "@/lib/toast";
import { type OpenSession, sessionsQuery, useEndSessions } from "./data";
import { deviceOf } from "./device";

function Session({ session, onEnd, busy }: { session: OpenSession; onEnd: () => void; busy: boolean }) {
  const { t } = useTranslation();
  const { browser, system, mobile } = deviceOf(session.device);
  const Icon = mobile ? Smartphone : Monitor;
  const name =
    browser && system
      ? t("ui.settings.device", { browser, system })
      : (browser ?? system ?? session.device) || t("ui.settings.unknownDevice");
  return (
    <li className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-4 gap-y-2.5 px-5 py-4 sm:grid-cols-[auto_minmax(0,1fr)_auto] sm:px-6">
      <span className="grid size-10 shrink-0 place-items-center rounded-control bg-hover text-soft">
        <Icon aria-hidden size={20} />
      </span>
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
          <b title={session.device} className="max-w-full truncate font-medium text-ink">
            {name}
          </b>
          {session.current && <StatusPill tone="ok">{t("ui.settings.thisDevice")}</StatusPill>}
        </p>
        <p className="text-sm text-muted [overflow-wrap:anywhere]">
          {session.address}
          {" · "}
          <time dateTime={session.lastSeenAt} title={panelTime(session.lastSeenAt)}>
            {session.current ? t("ui.settings.activeNow") : t("ui.settings.lastActive", { ago: ago(session.lastSeenAt) })}
          </time>
          {" · "}
          {t("ui.settings.signedInOn", { date: mediumDate(session.createdAt) })}
        </p>
      </div>
      {session.current ? (
        <ButtonLink to="/sign-out" size="sm" className="max-sm:col-start-2 max-sm:justify-self-start">
          {t("ui.user.signOut")}
        </ButtonLink>
      ) : (
        <Button
          size="sm"
          busy={busy}
          onClick={onEnd}
          className="max-sm:col-start-2 max-sm:justify-self-start"
          aria-label={t("ui.settings.endNamed", { device: name })}
        >
          {t("ui.settings.end")}
        </Button>
      )}
    </li>
  );
}

/** Where one is signed in, and the way to end it there. */
export function SecuritySection() {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(sessionsQuery);
  const end = useEndSessions();
  const [asking, setAsking] = useState(false);
  const others = data?.filter((session) => !session.current).map(({ id }) => id) ?? [];
  const finish = (ids: string[]) => end.mutate(ids, { onSuccess: () => toast.success(t("ui.settings.ended", { count: ids.length })) });
  return (
    <Card
      flush
      title={t("ui.settings.sessions")}
      subtitle={t("ui.settings.sessionsLead")}
      className="sm:[&>header]:px-6"
      actions={
        others.length > 1 && (
          <Button size="sm" onClick={() => setAsking(true)}>
            {t("ui.settings.endOthers")}
          </Button>
        )
      }
    >
      {data ? (
        <ul className="divide-y divide-hover border-t border-line">
          {[...data]
            .sort((a, b) => Number(b.current) - Number(a.current) || b.lastSeenAt.localeCompare(a.lastSeenAt))
            .map((session) => (
              <Session
                key={session.id}
                session={session}
                busy={end.isPending && (end.variables?.includes(session.id) ?? false)}
                onEnd={() => finish([session.id])}
              />
            ))}
        </ul>
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <SkeletonRows rows={3} className="p-5" />
      )}
      <ConfirmDialog
        title={t("ui.settings.endOthersTitle")}
        text={t("ui.settings.endOthersText", { count: others.length })}
        confirm={t("ui.settings.endOthers")}
        isOpen={asking}
        onOpenChange={setAsking}
        onConfirm={() => finish(others)}
      />
    </Card>
  );
}
