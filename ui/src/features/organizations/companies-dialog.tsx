import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "@/api/errors";
import type { Companies } from "@/api/schema";
import { Alert } from "@/components/alert";
import { Button } from "@/components/button";
import { CheckList } from "@/components/check-list";
import { Checkbox } from "@/components/checkbox";
import { Dialog } from "@/components/dialog";
import { ErrorState } from "@/components/error-state";
import { SkeletonRows } from "@/components/skeleton";
import { companiesQuery, makeOrganizations } from "@/features/contact/data";
import { followBulkChange } from "@/features/lists/bulk-work";
import { formatNumber } from "@/lib/format";

/** Companies from which on there is a search field. */
const few = 20;

/** Returns what would become of the companies except some. */
function totalsOf({ total, known, customers, items }: Companies, except: string[]) {
  const left = items.filter(({ name }) => except.includes(name));
  return {
    total: total - left.length,
    known: known - left.filter(({ organizationId }) => organizationId).length,
    people: left.reduce((people, one) => people - one.customers, customers),
  };
}

/** Chooses the companies of customers that become organizations, and begins the bulk change. */
export function CompaniesDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  // Read again: people may have been added since the list was opened.
  const { data, error: readError, refetch } = useQuery({ ...companiesQuery, refetchOnMount: "always" });
  const [except, setExcept] = useState<string[]>([]);
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const { total, known, people } = data ? totalsOf(data, except) : { total: 0, known: 0, people: 0 };
  const names = data?.items.map(({ name }) => name) ?? [];
  const chosen = names.filter((name) => !except.includes(name));
  const further = (data?.total ?? 0) - names.length;

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (total === 0) return;
    setBusy(true);
    setError(undefined);
    try {
      const begun = await makeOrganizations(except.filter((name) => names.includes(name)));
      const refresh = () => {
        for (const queryKey of [["companies"], ["organizations"]]) void client.invalidateQueries({ queryKey });
      };
      followBulkChange(begun, {
        text: (count) => t("ui.organizations.fromCompanies.done", { count, total: formatNumber(count) }),
        refresh,
      });
      onClose();
    } catch (refusal) {
      setError(refusal);
      setBusy(false);
    }
  };
  const count = (key: "title" | "people" | "known" | "further", number: number) =>
    t(`ui.organizations.fromCompanies.${key}`, { count: number, total: formatNumber(number) });
  return (
    <Dialog
      title={data ? count("title", total) : t("ui.organizations.fromCompanies.offer")}
      isOpen
      onOpenChange={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t("ui.action.cancel")}</Button>
          <Button variant="primary" type="submit" form="companies" busy={isBusy} disabled={total === 0}>
            {t("ui.organizations.fromCompanies.make")}
          </Button>
        </>
      }
    >
      {!data && (readError ? <ErrorState error={readError} onRetry={() => void refetch()} /> : <SkeletonRows rows={4} />)}
      {data && (
        <form id="companies" className="grid grid-cols-1 gap-3" onSubmit={(event) => void submit(event)}>
          {error !== undefined && <Alert kind="error">{errorText(error)}</Alert>}
          <p aria-live="polite">
            {[count("people", people), known > 0 && count("known", known), further > 0 && count("further", further)]
              .filter(Boolean)
              .join(" ")}
          </p>
          <div>
            {names.length > 1 && (
              <Checkbox
                className="flex min-h-9 rounded-lg px-1.5 font-medium text-ink pointer-coarse:min-h-11"
                checked={except.length === 0}
                indeterminate={chosen.length > 0 && except.length > 0}
                onChange={(event) => setExcept(event.target.checked ? [] : names)}
              >
                {t("ui.organizations.fromCompanies.all")}
              </Checkbox>
            )}
            <CheckList
              label={t("ui.organizations.fromCompanies.companies")}
              few={few}
              most={names.length}
              listClass="sm:max-h-80"
              value={chosen}
              onChange={(next) => setExcept(names.filter((name) => !next.includes(name)))}
              options={data.items.map(({ name, customers, organizationId }) => ({
                value: name,
                label: name,
                note: [
                  t("ui.organizations.fromCompanies.count", { count: customers, total: formatNumber(customers) }),
                  organizationId && t("ui.organizations.fromCompanies.exists"),
                ]
                  .filter(Boolean)
                  .join(" · "),
              }))}
            />
          </div>
        </form>
      )}
    </Dialog>
  );
}
