import { Monitor, Smartphone } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { OpenSession } from "@/api/schema";
import { Button } from "@/components/button";
import { ButtonLink } from "@/components/button-link";
import { StatusPill } from "@/components/status-pill";
import { deviceName, deviceOf } from "@/lib/device";
import { ago, mediumDate, panelTime } from "@/lib/format";

/** One of the member's sessions. */
export function SessionRow({ session, onEnd }: { session: OpenSession; onEnd: () => void }) {
  const { t } = useTranslation();
  const Icon = deviceOf(session.device).mobile ? Smartphone : Monitor;
  const name = deviceName(t, session.device);
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
          {session.lockedAt && <StatusPill tone="off">{t("ui.security.locked")}</StatusPill>}
          {session.secondFactor && <StatusPill tone="off">{t("ui.security.withFactor")}</StatusPill>}
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
        <ButtonLink data-no-refocus to="/sign-out" size="sm" className="max-sm:col-start-2 max-sm:justify-self-start">
          {t("ui.user.signOut")}
        </ButtonLink>
      ) : (
        <Button
          size="sm"
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
