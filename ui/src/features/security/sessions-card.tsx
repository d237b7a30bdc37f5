import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Card } from "@/components/card";
import { ConfirmDialog } from "@/components/confirm-dialog";
import { ErrorState } from "@/components/error-state";
import { SkeletonRows } from "@/components/skeleton";
import { toast } from "@/lib/toast";
import { sessionsQuery, useEndSessions } from "./data";
import { SessionRow } from "./session-row";

/** The member's sessions, and the way to end them. */
export function SessionsCard() {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(sessionsQuery);
  const end = useEndSessions();
  const [asking, setAsking] = useState(false);
  const others = data?.filter((session) => !session.current) ?? [];
  const finish = (which: { id: string } | "others", count: number) =>
    end.mutate(which, { onSuccess: () => toast.success(t("ui.settings.ended", { count })) });
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
              <SessionRow
                key={session.id}
                session={session}
                busy={end.isPending && end.variables !== "others" && end.variables.id === session.id}
                onEnd={() => finish({ id: session.id }, 1)}
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
        onConfirm={() => finish("others", others.length)}
      />
    </Card>
  );
}
