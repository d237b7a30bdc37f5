import { type LucideIcon, Plus } from "lucide-react";
import { createContext, type ReactNode, useContext } from "react";
import { useTranslation } from "react-i18next";
import type { RecordOf } from "@/api/schema";
import { Button } from "@/components/button";
import { Fact } from "@/components/fact";
import { RecordTitle } from "@/components/record-title";
import { useFieldLabel, useFieldText } from "@/features/fields/field-text";
import { Person } from "@/features/team/person";
import { type Field, inputsOf } from "@/records/fields";
import { flatValues } from "@/records/flat";
import type { CreatedKind } from "@/records/kinds";
import { EditableFact, startOf } from "./editable-fact";
import { useFactEditing } from "./use-facts";

/** A fact of a record: a field, by its name in the form. */
export interface FactOf {
  input: string;
  icon: LucideIcon;
  /** What is shown of it, where its type does not say that; nothing hides the fact. */
  show?: ReactNode;
  /** Whether it is in the summary, too. */
  isMain?: boolean;
}

/** Whether the facts of a record are shown as a summary, which print completes. */
export const SummaryContext = createContext(false);

const isEmpty = (value: unknown) => value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);

/** The facts of a record below each other, those without a value as buttons that add one. */
export function RecordFacts<K extends CreatedKind>({ kind, record, facts }: { kind: K; record: RecordOf<K>; facts: FactOf[] }) {
  const { t, i18n } = useTranslation();
  const labelOf = useFieldLabel();
  const textOf = useFieldText(() => undefined);
  const editing = useFactEditing();
  const isSummary = useContext(SummaryContext);
  const inputs = inputsOf(kind);
  const values = editing?.values ?? flatValues(kind, record);
  const shownOf = (field: Field, value: unknown): ReactNode =>
    field.type === "member" ? (
      <Person id={String(value)} />
    ) : field.type === "record" && field.target ? (
      <RecordTitle kind={field.target} id={String(value)} isLink />
    ) : (
      <span dir="auto" className="whitespace-pre-line [overflow-wrap:anywhere]">
        {textOf(field, value)}
      </span>
    );
  const known = facts.flatMap(({ input, icon, isMain = false, ...fact }) => {
    const field = inputs.get(input);
    if (!field) return [];
    const show = "show" in fact ? fact.show : !isEmpty(values[input]) && shownOf(field, values[input]);
    const isEdited = editing?.isEdited(input) ?? false;
    const add = show || isEdited ? undefined : startOf(editing, field, input);
    const isHidden = isSummary && !isMain && !isEdited;
    return [{ input, icon, label: labelOf(field), show, isEdited, add, isHidden }];
  });
  const addable = known.filter(({ add, isHidden }) => add && !isHidden);
  return (
    <>
      {/* On touch screens, each has the room of a fingertip. */}
      <dl className="mt-5 grid grid-cols-1 gap-3.5 pointer-coarse:gap-6 empty:mt-0 in-[[role=tabpanel]]:mt-0">
        {known
          .filter(({ show, isEdited }) => show || isEdited)
          .map(({ input, icon, label, show, isHidden }) => (
            <Fact key={input} icon={icon} label={label} className={isHidden ? "hidden print:flex" : "flex"}>
              <EditableFact kind={kind} input={input}>
                {show}
              </EditableFact>
            </Fact>
          ))}
      </dl>
      {addable.length > 0 && (
        <div className="no-print mt-3 -ml-2 flex flex-wrap gap-1">
          {addable.map(({ input, label, add }) => (
            <Button key={input} data-refocus size="sm" variant="ghost" icon={Plus} onClick={add}>
              <span className="sr-only">{t("ui.records.addFact", { field: label.toLocaleLowerCase(i18n.language) })}</span>
              <span aria-hidden>{label}</span>
            </Button>
          ))}
        </div>
      )}
    </>
  );
}
