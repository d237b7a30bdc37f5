import { useQuery } from "@tanstack/react-query";
import { History, KeyRound, Link, LockKeyhole, LogOut, Monitor, Smartphone } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Member, OpenSession } from "@/api/schema";
import { Button } from "@/components/button";
import { ButtonLink } from "@/components/button-link";
import { ConfirmDialog } from "@/components/confirm-dialog";
import { ErrorState } from "@/components/error-state";
import { SkeletonRows } from "@/components/skeleton";
import { StatusPill } from "@/components/status-pill";
import { useMay, useUser } from "@/features/account/data";
import { deviceName, deviceOf } from "@/lib/device";
import { ago, panelTime } from "@/lib/format";
import { toast } from "@/lib/toast";
import { colleagueSessionsQuery, useEndColleagueSessions, useMailOff, usePasswordLink, useResetFactors } from "./data";
import { LinkDialog } from "./invitation-link";

function Session({ session }: { session: OpenSession }) {
  const { t } = useTranslation();
  const Icon = deviceOf(session.device).mobile ? Smartphone : Monitor;
  return (
    <li className="flex items-center gap-3 py-2">
      <Icon aria-hidden size={18} className="text-muted" />
      <span className="min-w-0 flex-1">
        <span className="block truncate text-ink">{deviceName(t, session.device)}</span>
        <span className="block truncate text-sm text-muted">
          {session.address}
          {" · "}
          <time dateTime={session.lastSeenAt} title={panelTime(session.lastSeenAt)}>
            {t("ui.settings.lastActive", { ago: ago(session.lastSeenAt) })}
          </time>
        </span>
      </span>
    </li>
  );
}

/** Creates a link with which a colleague chooses a new password, where no e-mail is sent. */
function PasswordLink({ member: { id, email, state } }: { member: Member }) {
  const { t } = useTranslation();
  const me = useUser();
  const mailOff = useMailOff();
  const create = usePasswordLink();
  const [link, setLink] = useState<string>();
  if (!mailOff || state !== "active" || id === me.id) return null;
  return (
    <div className="mt-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
      <span className="inline-flex items-center gap-2.5">
        <LockKeyhole aria-hidden size={18} className="text-muted" />
        {t("ui.team.passwordLink.password")}
      </span>
      <Button size="sm" icon={Link} busy={create.isPending} onClick={() => create.mutate(id, { onSuccess: setLink })}>
        {t("ui.team.passwordLink.create")}
      </Button>
      {link && <LinkDialog email={email} link={link} isFor="password" onClose={() => setLink(undefined)} />}
    </div>
  );
}

/** A colleague's sessions, second factors and recent actions, for members who manage the team. */
export function MemberAccess({ member }: { member: Member }) {
  const { t } = useTranslation();
  const mayRead = useMay("audit.read");
  const { data, error, refetch } = useQuery(colleagueSessionsQuery(member.id));
  const end = useEndColleagueSessions();
  const reset = useResetFactors();
  const [asking, setAsking] = useState<"end" | "reset" | undefined>();
  const { name } = member;
  return (
    <section className="mt-7 border-t border-line pt-5">
      <h3 className="mb-3 text-sm font-semibold text-ink">{t("ui.team.access.title")}</h3>
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <span className="inline-flex items-center gap-2.5">
          <KeyRound aria-hidden size={18} className="text-muted" />
          {t("ui.team.access.factor")}
          <StatusPill tone={member.secondFactor ? "ok" : "off"}>
            {t(member.secondFactor ? "ui.team.access.factorOn" : "ui.team.access.factorOff")}
          </StatusPill>
        </span>
        {member.secondFactor && (
          <Button size="sm" onClick={() => setAsking("reset")} busy={reset.isPending}>
            {t("ui.team.access.reset")}
          </Button>
        )}
      </div>
      <PasswordLink member={member} />
      <div className="mt-5 flex items-center justify-between gap-4">
        <h4 className="text-sm font-medium text-gray-700">{t("ui.team.access.sessions")}</h4>
        {data && data.length > 0 && (
          <Button size="sm" icon={LogOut} onClick={() => setAsking("end")} busy={end.isPending}>
            {t("ui.team.access.end")}
          </Button>
        )}
      </div>
      {data ? (
        data.length > 0 ? (
          <ul className="mt-1.5 divide-y divide-hover">
            {data.map((session) => (
              <Session key={session.id} session={session} />
            ))}
          </ul>
        ) : (
          <p className="mt-1.5 text-sm text-muted">{t("ui.team.access.nowhere")}</p>
        )
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <SkeletonRows rows={2} className="pt-3" />
      )}
      {mayRead && (
        <ButtonLink to={`/settings/audit?member=${member.id}`} size="sm" variant="ghost" icon={History} className="mt-4 -ml-2.75">
          {t("ui.team.access.trail")}
        </ButtonLink>
      )}
      <ConfirmDialog
        title={t("ui.team.access.endTitle", { name })}
        text={t("ui.team.access.endText")}
        confirm={t("ui.team.access.end")}
        isOpen={asking === "end"}
        onOpenChange={() => setAsking(undefined)}
        onConfirm={() => end.mutate(member.id, { onSuccess: () => toast.success(t("ui.team.access.ended", { name })) })}
      />
      <ConfirmDialog
        title={t("ui.team.access.resetTitle", { name })}
        text={t("ui.team.access.resetText")}
        confirm={t("ui.team.access.reset")}
        isOpen={asking === "reset"}
        onOpenChange={() => setAsking(undefined)}
        onConfirm={() => reset.mutate(member.id, { onSuccess: () => toast.success(t("ui.team.access.resetDone", { name })) })}
      />
    </section>
  );
}
