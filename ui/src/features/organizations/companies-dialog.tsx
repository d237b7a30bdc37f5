import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { LoaderCircle } from "lucide-react";
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
import { SearchField } from "@/components/search-field";
import { SkeletonRows } from "@/components/skeleton";
import { type ChosenCompanies, companiesQuery, makeOrganizations } from "@/features/contact/data";
import { followBulkChange } from "@/features/lists/bulk-work";
import { cx } from "@/lib/cx";
import { formatNumber } from "@/lib/format";
import { useDebounced } from "@/lib/use-debounced";

type Company = Companies["items"][number];

/** Companies from which on there is a search field. */
const few = 20;
/** Maximum companies that a request names. */
const most = 1_000;

/** Returns what would become of the companies: of all except those marked, or only of those. */
function totalsOf({ total, known, customers }: Companies, isAll: boolean, marked: Company[]) {
  const own = {
    total: marked.length,
    known: marked.filter(({ organizationId }) => organizationId).length,
    people: marked.reduce((people, one) => people + one.customers, 0),
  };
  return isAll ? { total: total - own.total, known: known - own.known, people: customers - own.people } : own;
}

/** Chooses the companies of customers that become organizations, and begins the bulk change. */
export function CompaniesDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [words, setWords] = useState("");
  const sought = useDebounced(words.trim(), 250);
  const isTyping = sought !== words.trim();
  // Read again: people may have been added since the list was opened.
  const query = useInfiniteQuery({ ...companiesQuery(sought), refetchOnMount: "always" });
  const isOld = isTyping || query.isPlaceholderData;
  const { data, error: readError, refetch, hasNextPage, isFetchingNextPage, fetchNextPage, isPlaceholderData } = query;
  /** Whether all companies are chosen except those marked; otherwise only those are. */
  const [isAll, setAll] = useState(true);
  const [marked, setMarked] = useState<Company[]>([]);
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const first = data?.pages[0];
  const items = data?.pages.flatMap((page) => page.items) ?? [];
  const { total, known, people } = first ? totalsOf(first, isAll, marked) : { total: 0, known: 0, people: 0 };
  const isMarked = ({ name }: Company) => marked.some((one) => one.name === name);
  const chosen = items.filter((company) => isMarked(company) !== isAll);
  const isTooMany = marked.length > most;

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (total === 0 || isTooMany) return;
    setBusy(true);
    setError(undefined);
    try {
      const names = marked.map(({ name }) => name);
      const choice: ChosenCompanies = isAll ? { except: names } : { only: names };
      const begun = await makeOrganizations(choice);
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
  const choose = (names: string[]) => {
    const shown = items.filter(({ name }) => names.includes(name) !== isAll);
    setMarked([...marked.filter((one) => !items.some(({ name }) => name === one.name)), ...shown]);
  };
  const count = (key: "title" | "people" | "known" | "found", number: number) =>
    t(`ui.organizations.fromCompanies.${key}`, { count: number, total: formatNumber(number) });
  return (
    <Dialog
      title={first ? count("title", total) : t("ui.organizations.fromCompanies.offer")}
      isOpen
      onOpenChange={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t("ui.action.cancel")}</Button>
          <Button variant="primary" type="submit" form="companies" busy={isBusy} disabled={total === 0 || isTooMany}>
            {isBusy && <LoaderCircle aria-hidden size={18} className="animate-spin" />}
            {t(`ui.organizations.fromCompanies.${isBusy ? "making" : "make"}`)}
          </Button>
        </>
      }
    >
      {!first && (readError ? <ErrorState error={readError} onRetry={() => void refetch()} /> : <SkeletonRows rows={4} />)}
      {first && (
        <form id="companies" className="grid grid-cols-1 gap-3" onSubmit={(event) => void submit(event)}>
          {error !== undefined && <Alert kind="error">{errorText(error)}</Alert>}
          {isTooMany && <Alert kind="error">{t("ui.organizations.fromCompanies.most", { max: formatNumber(most) })}</Alert>}
          <p aria-live="polite">{[count("people", people), known > 0 && count("known", known)].filter(Boolean).join(" ")}</p>
          <div>
            {first.total > 1 && (
              <Checkbox
                className="flex min-h-9 rounded-lg px-1.5 font-medium text-ink pointer-coarse:min-h-11"
                checked={isAll && marked.length === 0}
                indeterminate={marked.length > 0 && total > 0}
                onChange={(event) => {
                  setAll(event.target.checked);
                  setMarked([]);
                }}
              >
                {t("ui.organizations.fromCompanies.all")}
              </Checkbox>
            )}
            {first.total > few && (
              // biome-ignore lint/a11y/noStaticElementInteractions: the field within has the focus
              <div className="mb-1" onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}>
                <SearchField label={t("ui.organizations.fromCompanies.search")} value={words} onChange={setWords} />
                {sought !== "" && !isPlaceholderData && first.found > 0 && (
                  <p aria-live="polite" className="px-1.5 pt-2 text-sm text-muted">
                    {count("found", first.found)}
                  </p>
                )}
              </div>
            )}
            {/* Until the companies of the new words are there, those of the former ones cannot be chosen. */}
            <div
              aria-busy={isOld}
              inert={isOld}
              className={cx("transition-opacity duration-150 sm:max-h-80 sm:overflow-y-auto", isOld && "opacity-60")}
            >
              <CheckList
                label={t("ui.organizations.fromCompanies.companies")}
                few={items.length}
                most={items.length}
                listClass="max-h-none"
                value={chosen.map(({ name }) => name)}
                onChange={choose}
                options={items.map(({ name, customers, organizationId }) => ({
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
              {hasNextPage && (
                <Button size="sm" className="mt-1" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
                  {t("ui.organizations.fromCompanies.more")}
                </Button>
              )}
            </div>
          </div>
        </form>
      )}
    </Dialog>
  );
}
