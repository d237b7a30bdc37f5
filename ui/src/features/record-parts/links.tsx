import { useQuery } from "@tanstack/react-query";
import { Link2, X } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { ErrorState } from "@/components/error-state";
import { IconButton } from "@/components/icon-button";
import { RecordSelect } from "@/components/record-select";
import { Select } from "@/components/select";
import { useMay } from "@/features/account/data";
import { toast } from "@/lib/toast";
import { type CreatedKind, createdKinds, recordKinds } from "@/records/kinds";
import { useIsRemoved } from "@/records/removed";
import type { TimelineOf } from "@/records/timelines";
import { linksQuery, useLinkCalls } from "./data";

function LinkDialog({ onLink, onClose }: { onLink: (kind: CreatedKind, recordId: string) => void; onClose: () => void }) {
  const { t } = useTranslation();
  const [kind, setKind] = useState<CreatedKind>(createdKinds[0]?.kind ?? "customer");
  return (
    <Dialog title={t("ui.links.add")} isOpen onOpenChange={onClose} footer={<Button onClick={onClose}>{t("ui.action.cancel")}</Button>}>
      <div className="grid grid-cols-1 gap-4">
        <Select
          label={t("ui.links.kind")}
          value={kind}
          onChange={setKind}
          options={createdKinds.map((one) => ({
            value: one.kind,
            label: t(`ui.records.kinds.${one.kind}`),
            icon: <one.icon aria-hidden size={16} className="text-muted" />,
          }))}
        />
        <RecordSelect
          key={kind}
          kind={kind}
          label={t(`ui.records.kinds.${kind}`)}
          value={null}
          onChange={(id) => {
            if (!id) return;
            onLink(kind, id);
            onClose();
          }}
        />
      </div>
    </Dialog>
  );
}

/** The other records that a record is linked to. Who may change the record links and unlinks some. */
export function Links({ kind, id, className }: TimelineOf & { className?: string }) {
  const { t } = useTranslation();
  const record = { kind, id };
  const { data, error, refetch } = useQuery({ ...linksQuery(record), enabled: !useIsRemoved(id) });
  const links = data ?? [];
  const mayWrite = useMay(`${recordKinds[kind].name}.write`);
  const { add, remove } = useLinkCalls(record);
  const [isOpen, setOpen] = useState(false);
  if (!mayWrite && links.length === 0 && !error) return null;
  return (
    <section aria-labelledby={`links-${id}`} className={className}>
      <div className="flex min-h-8.5 items-center justify-between gap-2">
        <h3 id={`links-${id}`} className="text-sm font-semibold text-ink">
          {t("ui.links.title")}
        </h3>
        {mayWrite && (
          <Button data-refocus size="sm" variant="ghost" icon={Link2} className="no-print -mr-2.75" onClick={() => setOpen(true)}>
            {t("ui.links.add")}
          </Button>
        )}
      </div>
      {error && links.length === 0 && <ErrorState error={error} onRetry={() => void refetch()} />}
      {data?.length === 0 && <p className="mt-1 text-muted">{t("ui.links.none")}</p>}
      {links.length > 0 && (
        <ul className="mt-1.5 divide-y divide-hover rounded-xl border border-line">
          {links.map((link) => {
            const { title, subtitle, link: to } = link.card;
            const Icon = recordKinds[link.kind].icon;
            const name = title || t("ui.records.untitled");
            return (
              <li key={link.id} className="flex items-center gap-1 pr-1">
                <Link to={to} className="flex min-w-0 flex-1 items-center gap-3 rounded-lg py-1.5 pl-3 hover:bg-hover">
                  <span className="grid size-9 shrink-0 place-items-center rounded-md bg-sunken text-muted">
                    <Icon aria-hidden size={18} />
                  </span>
                  <span className="min-w-0 flex-1">
                    <span dir="auto" className="block truncate font-medium text-ink">
                      {name}
                    </span>
                    <span className="block truncate text-sm text-muted">
                      {[t(`ui.records.kinds.${link.kind}`), subtitle].filter(Boolean).join(" · ")}
                    </span>
                  </span>
                </Link>
                {mayWrite && (
                  <IconButton
                    label={t("ui.links.remove", { title: name })}
                    icon={X}
                    size="sm"
                    onClick={() =>
                      remove.mutate(link, {
                        onSuccess: () => {
                          const undo = {
                            label: t("ui.action.undo"),
                            run: () => add.mutateAsync({ kind: link.kind, recordId: link.recordId }),
                            undone: t("ui.undo.what", { what: name }),
                          };
                          toast.success(t("ui.links.removed", { title: name }), undo);
                        },
                      })
                    }
                  />
                )}
              </li>
            );
          })}
        </ul>
      )}
      {isOpen && <LinkDialog onLink={(other, recordId) => add.mutate({ kind: other, recordId })} onClose={() => setOpen(false)} />}
    </section>
  );
}
