import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { OpenSession } from "@/api/schema";
import { Button } from "@/components/button";
import { Card } from "@/components/card";
import { Dialog } from "@/components/dialog";
import { ErrorState } from "@/components/error-state";
import { SkeletonRows } from "@/components/skeleton";
import { deviceName } from "@/lib/device";
import { toast } from "@/lib/toast";
import { sessionsQuery, useEndSessions } from "./data";
import { PasswordForm } from "./password-form";
import { SessionRow } from "./session-row";

/** The member's sessions, and the way to end them. */
export function SessionsCard() {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(sessionsQuery);
  const end = useEndSessions();
  const [asked, setAsked] = useState<OpenSession | "others">();
  const others = data?.filter((session) => !session.current) ?? [];
  const close = () => setAsked(undefined);
  const count = asked === "others" ? others.length : 1;
  return (
    <Card
      flush
      title={t("ui.settings.sessions")}
      subtitle={t("ui.settings.sessionsLead")}
      className="sm:[&>header]:px-6"
      actions={
        others.length > 1 && (
          <Button size="sm" onClick={() => setAsked("others")}>
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
              <SessionRow key={session.id} session={session} onEnd={() => setAsked(session)} />
            ))}
        </ul>
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <SkeletonRows rows={3} className="p-5" />
      )}
      {asked && (
        <Dialog
          title={asked === "others" ? t("ui.settings.endOthersTitle") : t("ui.settings.endTitle", { device: deviceName(t, asked.device) })}
          isOpen
          onOpenChange={close}
        >
          <PasswordForm
            lead={t("ui.settings.endOthersText", { count })}
            action={t(asked === "others" ? "ui.settings.endOthers" : "ui.settings.end")}
            danger
            onCancel={close}
            onSend={async ({ password }) => {
              await end.mutateAsync({ which: asked === "others" ? asked : { id: asked.id }, password });
              toast.success(t("ui.settings.ended", { count }));
              close();
            }}
          />
        </Dialog>
      )}
    </Card>
  );
}
