import { ChartNoAxesColumn, Kanban, Table2 } from "lucide-react";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { useLocation, useNavigate, useNavigationType } from "react-router";
import { Segmented } from "@/components/segmented";
import { useMay } from "@/features/account/data";
import { useAtLeast } from "@/lib/media";
import { oneOf } from "@/lib/search-params";
import { asStep, useAddressQuery } from "@/lib/use-address";
import { pathOfKind } from "@/records/kinds";

/** How the list of deals is shown; the forecast has an address of its own. */
export const dealLayouts = ["table", "board"] as const;
export type DealsView = (typeof dealLayouts)[number] | "forecast";

/** Filters that the list of deals begins with. */
export const usualFilters = ["outcome:is:open"];

/** Returns the layout that the address names. */
export const useDealLayout = () => useAddressQuery({ as: oneOf(dealLayouts) }).values.as ?? "table";

/** Returns the address of another view of the deals, with the same filters. */
export function addressOfView(view: DealsView, from: DealsView, search: URLSearchParams): string {
  const query = new URLSearchParams(search);
  for (const name of ["cursor", "page", "as", "from", "months"]) query.delete(name);
  const filters = query.getAll("filter");
  const isChosen = query.has("filter");
  query.delete("filter");
  // The forecast has open deals and those that were won; the list begins with the open ones.
  const closed = filters.some((filter) => filter.startsWith("outcome:"));
  const others = filters.filter((filter) => !usualFilters.includes(filter));
  const next =
    view === "forecast"
      ? others
      : from === "forecast" && isChosen && !closed && others.some(Boolean)
        ? [...usualFilters, ...others]
        : filters;
  for (const filter of next) query.append("filter", filter);
  if (view === "board") query.set("as", view);
  const text = query.size > 0 ? `?${query}` : "";
  return `${pathOfKind("deal")}${view === "forecast" ? "/forecast" : ""}${text}`;
}

/** Returns the views of the deals with a screen of their own that the member may open. */
export function useDealScreens() {
  const { t } = useTranslation();
  const may = useMay("deals.read");
  const to = addressOfView("forecast", "table", new URLSearchParams());
  return may ? [{ to, label: t(names.forecast), icon: icons.forecast }] : [];
}

/** The state of a navigation by the control of the views. */
const chosenState = "view";

const icons = { table: Table2, board: Kanban, forecast: ChartNoAxesColumn };
const names = { table: "ui.deals.asTable", board: "ui.deals.asBoard", forecast: "ui.deals.asForecast" } as const;

/** Leads to the other views of the deals. */
export function DealViews({ current }: { current: DealsView }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { search } = useAddressQuery({});
  const hasRoom = useAtLeast("sm");
  const box = useRef<HTMLDivElement>(null);
  // Who comes back from a record has the focus where it was.
  const isBack = useNavigationType() === "POP";
  const isChosen = useLocation().state === chosenState && !isBack;
  // The screen of the view replaces the control that was pressed.
  useEffect(() => {
    if (isChosen) box.current?.querySelector<HTMLElement>("input:checked")?.focus({ preventScroll: true });
  }, [isChosen]);
  return (
    <div ref={box} className="flex">
      <Segmented
        refocus
        label={t("ui.deals.views")}
        value={current}
        onChange={(view) => void navigate(addressOfView(view, current, search), { ...asStep, state: chosenState })}
        options={(["table", "board", "forecast"] as const).map((view) => {
          const Icon = icons[view];
          return { value: view, label: t(names[view]), ...(!hasRoom && { icon: <Icon aria-hidden size={18} /> }) };
        })}
      />
    </div>
  );
}
