import { useQuery } from "@tanstack/react-query";
import { FileInput, Trash2 } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import type { RecordImport } from "@/api/schema";
import { Button } from "@/components/button";
import { ButtonLink } from "@/components/button-link";
import { Card } from "@/components/card";
import { EmptyState } from "@/components/empty-state";
import { ErrorState } from "@/components/error-state";
import { IconButton } from "@/components/icon-button";
import { SkeletonRows } from "@/components/skeleton";
import { StatusPill } from "@/components/status-pill";
import { useUser } from "@/features/account/data";
import { useMembers } from "@/features/team/data";
import { ago, formatNumber, longDate } from "@/lib/format";
import { importsQuery } from "@/records/imports";
import { recordKinds } from "@/records/kinds";
import { useBrief } from "./brief";
import { isOpen, isUndoable, useImportCalls } from "./data";
import { importedNames, kindOf } from "./kinds";
import { hasReport, ReportButton } from "./outcome";
import { UndoButton } from "./undo-button";

const tones = {
  ready: "off",
  checking: "accent",
  checked: "off",
  running: "accent",
  done: "ok",
  stopped: "warn",
  failed: "bad",
  undoing: "accent",
  undone: "off",
} as const satisfies Record<RecordImport["state"], string>;

/** Returns what became of the rows, as a line. */
function useBriefOfImport() {
  const { t } = useTranslation();
  const partsOf = useBrief();
  return (one: RecordImport) => {
    if (isOpen(one)) return t("ui.imports.rows", { count: one.rows, total: formatNumber(one.rows) });
    const { created, updated, skipped, failed } = one.counts;
    const wasUndone = one.state === "undoing" || one.state === "undone";
    return partsOf(wasUndone ? { undone: one.undone, kept: one.kept } : { created, updated, skipped, failed });
  };
}

/** The member who began an import. */
function Author({ id }: { id: string | undefined }) {
  const { t } = useTranslation();
  const { find } = useMembers();
  return `${t("ui.imports.by", { name: find(id)?.name ?? t("ui.list.bulk.someone") })} · `;
}

function Row({ one }: { one: RecordImport }) {
  const { t } = useTranslation();
  const { id: me } = useUser();
  const { remove, stop } = useImportCalls();
  const brief = useBriefOfImport()(one);
  const { kind, name } = kindOf(one);
  const { icon: Icon } = recordKinds[kind];
  const isOwn = one.createdBy === me;
  const mayDiscard = isOwn && (one.state === "ready" || one.state === "checked");
  const mayStop = one.state === "running" || one.state === "checking";
  return (
    <li
      data-item
      className="relative flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-hover px-5 py-3 last:border-0 hover:bg-hover/50 sm:px-6"
    >
      <span className="grid size-9 shrink-0 place-items-center rounded-lg bg-hover text-soft">
        <Icon aria-hidden size={18} />
      </span>
      <div className="min-w-40 flex-1">
        <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
          <Link
            to={`/imports/${one.id}`}
            dir="auto"
            title={one.name}
            className="max-w-full truncate font-medium text-ink after:absolute after:inset-0 hover:underline"
          >
            {one.name}
          </Link>
          <StatusPill tone={tones[one.state]}>{t(`ui.imports.states.${one.state}`)}</StatusPill>
        </p>
        <p className="text-sm text-muted">
          {`${t(`ui.imports.kinds.${name}`)} · `}
          {!isOwn && <Author id={one.createdBy} />}
          {brief && `${brief} · `}
          <time dateTime={one.createdAt} title={longDate(one.createdAt)}>
            {ago(one.createdAt)}
          </time>
        </p>
      </div>
      <div className="relative flex max-w-full shrink-0 flex-wrap items-center gap-1.5 empty:hidden">
        {!isOpen(one) && hasReport(one, one.counts) && <ReportButton of={one} size="sm" />}
        {isUndoable(one) && <UndoButton of={one} size="sm" />}
        {mayStop && (
          <Button
            size="sm"
            aria-label={t("ui.imports.stopNamed", { name: one.name })}
            busy={stop.isPending}
            onClick={() => stop.mutate(one.id)}
          >
            {t("ui.imports.stop")}
          </Button>
        )}
        {mayDiscard && (
          <IconButton
            label={t("ui.imports.removeNamed", { name: one.name })}
            icon={Trash2}
            tone="danger"
            size="sm"
            onClick={() => remove.mutate(one.id)}
          />
        )}
      </div>
    </li>
  );
}

/** The imports of the last 30 days: the member's own, or those of all for administrators. */
export function ImportsSection() {
  const { t } = useTranslation();
  const { permissions } = useUser();
  const seesAll = permissions.includes("audit.read");
  const { data, error, refetch } = useQuery(importsQuery);
  const mayImport = importedNames.some((name) => permissions.includes(`${name}.write`));
  const begin = (size?: "sm") =>
    mayImport && (
      <ButtonLink to="/imports/new" icon={FileInput} {...(size ? { size } : { variant: "primary" })}>
        {t("ui.imports.begin")}
      </ButtonLink>
    );
  const content = () => {
    if (!data) return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <SkeletonRows rows={4} className="p-5" />;
    if (data.length === 0)
      return <EmptyState icon={FileInput} title={t("ui.imports.none")} text={t("ui.imports.noneText")} action={begin()} />;
    return (
      <ul aria-label={t("ui.imports.title")} className="border-t border-line">
        {data.map((one) => (
          <Row key={one.id} one={one} />
        ))}
      </ul>
    );
  };
  return (
    <Card
      flush
      title={t("ui.imports.title")}
      subtitle={t(seesAll ? "ui.imports.leadAll" : "ui.imports.lead")}
      actions={data && data.length > 0 && begin("sm")}
      className="sm:[&>header]:px-6"
    >
      {content()}
    </Card>
  );
}
