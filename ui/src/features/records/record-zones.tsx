import { ChevronDown } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import { Tab, TabList, TabPanel, Tabs } from "react-aria-components/Tabs";
import { flushSync } from "react-dom";
import { useTranslation } from "react-i18next";
import type { FieldValues, Stamped } from "@/api/schema";
import { Button } from "@/components/button";
import { FileViewer } from "@/features/content/file-viewer";
import { Files } from "@/features/record-parts/files";
import { Links } from "@/features/record-parts/links";
import { Timeline } from "@/features/record-parts/timeline";
import { cx } from "@/lib/cx";
import { mediumDate } from "@/lib/format";
import { useAtLeast } from "@/lib/media";
import type { CreatedKind } from "@/records/kinds";
import { SummaryContext } from "./record-facts";
import { RecordFields } from "./record-fields";

export interface RecordZonesProps {
  kind: CreatedKind;
  record: Stamped & { fields: FieldValues };
  /** Whether it takes the whole window. */
  isWide: boolean;
  /** What names the record and says how things are. */
  head: ReactNode;
  /** What belongs to it. */
  related: ReactNode;
  /** Its facts. */
  children: ReactNode;
}

type TabName = "details" | "activity" | "related" | "files";

/** The tabs that were chosen, by the ids of the records, so that the way back to a record leads to the same one. */
const chosenTabs = new Map<string, TabName>();

/** When a record was added and last updated. */
function Dates({ record: { createdAt, updatedAt } }: Pick<RecordZonesProps, "record">) {
  const { t } = useTranslation();
  return (
    <p className="mt-6 text-sm text-muted">{t("ui.customers.dates", { created: mediumDate(createdAt), updated: mediumDate(updatedAt) })}</p>
  );
}

/** The custom fields of a record and when it was added, below its facts. */
const MoreFacts = ({ kind, record }: Pick<RecordZonesProps, "kind" | "record">) => (
  <>
    <RecordFields kind={kind} record={record} className="mt-6 border-t border-line pt-4" />
    <Dates record={record} />
  </>
);

/** The facts of a record as a summary, which a press completes. */
function Summary({ kind, record, children }: Pick<RecordZonesProps, "kind" | "record" | "children">) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <>
      <div id={id}>
        <SummaryContext value={!isOpen}>{children}</SummaryContext>
        <div className={cx(!isOpen && "hidden print:block")}>
          <MoreFacts kind={kind} record={record} />
        </div>
      </div>
      <Button
        size="sm"
        variant="ghost"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
        className="mt-2 -ml-2.75"
      >
        <ChevronDown aria-hidden size={16} className={cx("transition-transform duration-150", isOpen && "rotate-180")} />
        {t(isOpen ? "ui.records.less" : "ui.records.more")}
      </Button>
    </>
  );
}

const sections = "[&>*]:mt-0 [&>*]:border-t [&>*]:border-line [&>*]:pt-4 [&>*]:pb-6 [&>:first-child]:border-0 [&>:first-child]:pt-0";

/** Facts, timeline and related records beside each other. */
function Columns({ kind, record, head, related, children }: Omit<RecordZonesProps, "isWide">) {
  const { t } = useTranslation();
  return (
    <div className="mx-auto grid h-full max-w-340 grid-cols-[20rem_minmax(35rem,1fr)_17.5rem] *:min-h-0 *:overflow-y-auto *:border-l *:border-line *:px-5 *:pt-5 *:pb-8 *:first:border-0">
      <section aria-label={t("ui.records.details")}>
        {head}
        {children}
        <MoreFacts kind={kind} record={record} />
      </section>
      <div data-zone>
        <Timeline kind={kind} id={record.id} />
      </div>
      <section aria-label={t("ui.records.related")} className={sections}>
        {related}
        <Files kind={kind} id={record.id} />
        <Links kind={kind} id={record.id} />
      </section>
    </div>
  );
}

/** The head of a record with its facts, and the rest in tabs; on phones, the facts are in a tab, too. */
function TabbedParts({ kind, record, head, related, children }: Omit<RecordZonesProps, "isWide">) {
  const { t } = useTranslation();
  const { id } = record;
  const isPhone = !useAtLeast("sm");
  const names: TabName[] = [...(isPhone ? (["details"] as const) : []), "activity", "related", "files"];
  const [chosen, setChosen] = useState(() => chosenTabs.get(id));
  const tab = names.find((name) => name === chosen) ?? (isPhone ? "details" : "activity");
  const choose = (name: TabName) => {
    chosenTabs.set(id, name);
    setChosen(name);
  };
  const texts: Record<TabName, string> = {
    details: t("ui.records.details"),
    activity: t("ui.timeline.title"),
    related: t("ui.records.related"),
    files: t("ui.files.title"),
  };
  const panels: Record<TabName, ReactNode> = {
    details: (
      <>
        {children}
        <MoreFacts kind={kind} record={record} />
      </>
    ),
    activity: (
      <div data-zone>
        {/* The composer takes the focus once it is shown. */}
        <Timeline kind={kind} id={id} onCompose={() => flushSync(() => choose("activity"))} />
      </div>
    ),
    related: (
      <div className={sections}>
        {related}
        <Links kind={kind} id={id} />
      </div>
    ),
    files: <Files kind={kind} id={id} />,
  };
  return (
    <div className="px-5 pt-5 pb-8 sm:px-6">
      {head}
      {!isPhone && (
        <Summary kind={kind} record={record}>
          {children}
        </Summary>
      )}
      <Tabs selectedKey={tab} onSelectionChange={(key) => choose(key as TabName)} className="mt-5">
        <TabList
          aria-label={t("ui.records.parts")}
          className="no-print sticky top-0 z-20 -mx-5 flex gap-6 overflow-x-auto border-b border-line bg-surface px-5 max-sm:gap-3 sm:-mx-6 sm:px-6"
        >
          {names.map((name) => (
            <Tab
              key={name}
              id={name}
              className="cursor-pointer border-b-2 border-transparent py-2.5 text-center font-medium whitespace-nowrap text-muted hover:text-ink focus-visible:-outline-offset-2 pointer-coarse:py-3 selected:border-primary selected:text-ink"
            >
              {texts[name]}
            </Tab>
          ))}
        </TabList>
        {names.map((name) => (
          // All are there, so that a draft, a scroll position and print have them.
          <TabPanel key={name} id={name} shouldForceMount className={({ isInert }) => cx("pt-5", isInert && "hidden print:block")}>
            {panels[name]}
          </TabPanel>
        ))}
      </Tabs>
    </div>
  );
}

/** A record in zones: beside each other where it takes the whole window, otherwise its head, its facts and tabs. */
export const RecordZones = ({ isWide, ...zones }: RecordZonesProps) => (
  <FileViewer>{isWide ? <Columns {...zones} /> : <TabbedParts {...zones} />}</FileViewer>
);
