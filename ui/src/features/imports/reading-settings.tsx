import { ChevronRight } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText, fieldError } from "@/api/errors";
import type { ImportPlan } from "@/api/schema";
import { Alert } from "@/components/alert";
import { Checkbox } from "@/components/checkbox";
import { Select } from "@/components/select";
import { TextField } from "@/components/text-field";
import { formatNumber } from "@/lib/format";
import { useChangeImport } from "./data";

const delimiters = { ",": "comma", ";": "semicolon", "\t": "tab", "|": "bar" } as const;
const other = "other";
const encodings = [
  "utf-8",
  "windows-1252",
  "windows-1250",
  "windows-1251",
  "windows-1253",
  "windows-1254",
  "windows-1255",
  "windows-1256",
  "windows-1257",
  "windows-1258",
  "windows-874",
  "iso-8859-2",
  "iso-8859-5",
  "iso-8859-7",
  "iso-8859-15",
  "koi8-u",
  "ibm866",
  "shift_jis",
  "euc-jp",
  "gb18030",
  "big5",
  "euc-kr",
  "macintosh",
  "cp850",
  "utf-16le",
  "utf-16be",
] as const;
const unicode: readonly string[] = ["utf-8", "utf-16le", "utf-16be"];
const dateOrders = ["dmy", "mdy", "ymd"] as const;
const decimalMarks = ["comma", "point"] as const;
/** Maximum rows above the names of the columns. */
const maxSkippedRows = 50;

const isKnown = (delimiter: string): delimiter is keyof typeof delimiters => delimiter in delimiters;

/** Chooses the encoding in which the file is read. */
export function EncodingChoice({ plan: { id, encoding } }: { plan: ImportPlan }) {
  const { t } = useTranslation();
  const change = useChangeImport(id);
  return (
    <div className="grid grid-cols-1 content-start gap-2.5">
      <Select
        label={t("ui.imports.encoding")}
        value={encoding}
        onChange={(value) => value !== encoding && change.mutate({ encoding: value })}
        options={encodings.map((value) => ({ value, label: t(`ui.imports.encodings.${value}`) }))}
      />
      {change.error && <Alert kind="error">{fieldError(change.error, "file") ?? errorText(change.error)}</Alert>}
    </div>
  );
}

/** Says in which encoding a file is read that is not in Unicode. */
export function EncodingNote({ plan: { encoding } }: { plan: ImportPlan }) {
  const { t } = useTranslation();
  if (unicode.includes(encoding)) return null;
  const name = t(`ui.imports.encodings.${encoding}`);
  return (
    <Alert kind="warning" className="mx-5 mb-4">
      {t("ui.imports.encodingGuessed", { encoding: name })}
    </Alert>
  );
}

/** How the file is read: guessed, and therefore folded away. */
export function ReadingSettings({ plan }: { plan: ImportPlan }) {
  const { t } = useTranslation();
  const change = useChangeImport(plan.id);
  const { delimiter = ",", encoding, hasHeader = true, skippedRows = 0, dateOrder, decimalMark } = plan;
  const [isOther, setOther] = useState(!isKnown(delimiter));
  const [typed, setTyped] = useState("");
  const delimiterText = isKnown(delimiter) ? t(`ui.imports.delimiters.${delimiters[delimiter]}`) : delimiter;
  const summary = [
    delimiterText,
    t(`ui.imports.encodings.${encoding}`),
    ...(hasHeader ? [] : [t("ui.imports.noHeader")]),
    ...(skippedRows > 0 ? [t("ui.imports.skipsRows", { count: skippedRows, total: formatNumber(skippedRows) })] : []),
    t(`ui.imports.dateOrders.${dateOrder}`),
    t(`ui.imports.decimalMarks.${decimalMark}`),
  ];
  const wrong = fieldError(change.error, "delimiter");
  return (
    <details className="group">
      <summary className="flex cursor-pointer list-none items-start gap-2 px-5 py-3 hover:bg-hover [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden size={18} className="mt-0.5 shrink-0 text-muted transition-transform group-open:rotate-90" />
        <span className="min-w-0">
          <span className="block font-medium text-ink">{t("ui.imports.how")}</span>
          <span className="block text-sm text-muted">{summary.join(" · ")}</span>
        </span>
      </summary>
      <div className="grid grid-cols-1 gap-4 px-5 pt-2 pb-5">
        <div className="grid grid-cols-1 gap-4 @min-[560px]:grid-cols-2">
          <div className="grid grid-cols-1 content-start gap-2.5">
            <Select
              label={t("ui.imports.delimiter")}
              value={isOther ? other : delimiter}
              onChange={(value) => {
                setOther(value === other);
                if (value !== other && value !== delimiter) change.mutate({ delimiter: value });
              }}
              options={[
                ...Object.entries(delimiters).map(([value, name]) => ({ value, label: t(`ui.imports.delimiters.${name}`) })),
                { value: other, label: t("ui.imports.delimiters.other") },
              ]}
            />
            {isOther && (
              <TextField
                label={t("ui.imports.delimiterOther")}
                maxLength={1}
                autoComplete="off"
                value={typed || (isKnown(delimiter) ? "" : delimiter)}
                error={wrong}
                onChange={({ target }) => {
                  setTyped(target.value);
                  if (target.value) change.mutate({ delimiter: target.value });
                }}
              />
            )}
          </div>
          <EncodingChoice plan={plan} />
          <Select
            label={t("ui.imports.dates")}
            value={dateOrder}
            onChange={(value) => change.mutate({ dateOrder: value })}
            options={dateOrders.map((value) => ({ value, label: t(`ui.imports.dateOrders.${value}`) }))}
          />
          <Select
            label={t("ui.imports.decimals")}
            value={decimalMark}
            onChange={(value) => change.mutate({ decimalMark: value })}
            options={decimalMarks.map((value) => ({ value, label: t(`ui.imports.decimalMarks.${value}`) }))}
          />
        </div>
        <Checkbox
          className="min-h-9 justify-self-start"
          checked={hasHeader}
          onChange={({ target }) => change.mutate({ hasHeader: target.checked })}
        >
          {t("ui.imports.hasHeader")}
        </Checkbox>
        <TextField
          key={skippedRows}
          className="max-w-60"
          type="number"
          min={0}
          max={maxSkippedRows}
          label={t("ui.imports.skippedRows")}
          hint={t("ui.imports.skippedRowsHint")}
          defaultValue={skippedRows}
          error={fieldError(change.error, "skippedRows")}
          onBlur={({ target }) => {
            const rows = target.valueAsNumber;
            if (Number.isInteger(rows) && rows !== skippedRows) change.mutate({ skippedRows: rows });
          }}
        />
        <p className="text-sm text-muted">{t("ui.imports.rereads")}</p>
        {change.error && !wrong && <Alert kind="error">{fieldError(change.error, "file") ?? errorText(change.error)}</Alert>}
      </div>
    </details>
  );
}
