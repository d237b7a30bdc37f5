import { useQuery } from "@tanstack/react-query";
import { CircleAlert, CircleCheck, LockKeyhole, TriangleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { CompanyHealth } from "@/api/schema";
import { Card } from "@/components/card";
import { EmptyState } from "@/components/empty-state";
import { ErrorState } from "@/components/error-state";
import { SkeletonRows } from "@/components/skeleton";
import { useMay } from "@/features/account/data";
import { cx } from "@/lib/cx";
import { fileSize } from "@/lib/file-size";
import { ago, formatNumber, longDate, shortTime } from "@/lib/format";
import { healthQuery } from "../data";

type HealthStatus = CompanyHealth["status"];

const looks = {
  ok: { icon: CircleCheck, className: "text-ok" },
  warning: { icon: TriangleAlert, className: "text-warn" },
  failing: { icon: CircleAlert, className: "text-bad" },
} satisfies Record<HealthStatus, object>;

function Row({ name, status, text, title }: { name: string; status: HealthStatus; text: string; title: string | undefined }) {
  const { t } = useTranslation();
  const { icon: Icon, className } = looks[status];
  return (
    <li className="flex items-start gap-3 border-b border-hover px-5 py-3.5 last:border-0">
      <Icon aria-hidden size={20} className={cx("mt-0.5 shrink-0", className)} />
      <div className="min-w-0">
        <p className="font-medium text-ink">
          {name}
          <span className="sr-only">{`: ${t(`ui.settings.health.status.${status}`)}`}</span>
        </p>
        <p className="text-soft" title={title}>
          {text}
        </p>
      </div>
    </li>
  );
}

/** Returns a sentence for each part of the server that concerns the company. */
function useSentences({ changes, backups, emails, uploads, damage, search }: CompanyHealth) {
  const { t } = useTranslation();
  const backup = () => {
    if (!backups.scheduled) return t("ui.settings.health.backups.off");
    const when = backups.lastAt && ago(backups.lastAt);
    if (backups.status === "failing") {
      return when ? t("ui.settings.health.backups.failing", { ago: when }) : t("ui.settings.health.backups.failingNone");
    }
    return when ? t("ui.settings.health.backups.ok", { ago: when }) : t("ui.settings.health.backups.none");
  };
  const email = () => {
    if (!emails.configured) return t("ui.settings.health.emails.off");
    const counted = (count: number) => ({ count, total: formatNumber(count) });
    if (emails.late > 0) return t("ui.settings.health.emails.late", counted(emails.late));
    if (emails.waiting > 0) return t("ui.settings.health.emails.waiting", counted(emails.waiting));
    return t("ui.settings.health.emails.ok");
  };
  const used = { used: fileSize(uploads.usedBytes), max: fileSize(uploads.maxBytes) };
  const damaged = damage.records + damage.uploads;
  return {
    changes: t(changes.status === "ok" ? "ui.settings.health.changes.ok" : "ui.settings.health.changes.failing"),
    backups: backup(),
    emails: email(),
    uploads: t(`ui.settings.health.uploads.${uploads.status}`, used),
    damage:
      damaged > 0
        ? t("ui.settings.health.damage.failing", { count: damaged, total: formatNumber(damaged) })
        : t("ui.settings.health.damage.ok"),
    search: t(search.status === "ok" ? "ui.settings.health.search.ok" : "ui.settings.health.search.behind"),
  };
}

function Health({ health }: { health: CompanyHealth }) {
  const { t } = useTranslation();
  const sentences = useSentences(health);
  const parts = ["changes", "backups", "emails", "uploads", "damage", "search"] as const;
  return (
    <Card flush title={t(`ui.settings.health.title.${health.status}`)} subtitle={t("ui.settings.health.lead")}>
      <ul className="border-t border-hover">
        {parts.map((part) => (
          <Row
            key={part}
            name={t(`ui.settings.health.${part}.name`)}
            status={health[part].status}
            text={sentences[part]}
            title={part === "backups" && health.backups.lastAt ? longDate(health.backups.lastAt) : undefined}
          />
        ))}
      </ul>
      <p className="border-t border-hover px-5 py-3 text-sm text-muted">
        {t("ui.settings.health.checked", { version: health.version, time: shortTime(health.checkedAt) })}
      </p>
    </Card>
  );
}

/** What concerns the company in the condition of the server, for its administrators. */
export function HealthSection() {
  const { t } = useTranslation();
  const may = useMay("settings.company");
  const { data, error, refetch } = useQuery({ ...healthQuery, enabled: may });
  if (!may) {
    return (
      <Card>
        <EmptyState icon={LockKeyhole} title={t("ui.settings.noRight")} text={t("ui.settings.noRightText")} />
      </Card>
    );
  }
  if (!data) return <Card>{error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <SkeletonRows rows={6} />}</Card>;
  return <Health health={data} />;
}
