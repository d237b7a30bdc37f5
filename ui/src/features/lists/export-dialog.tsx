import { useState } from "react";
import { useTranslation } from "react-i18next";
import { download } from "@/api/download";
import { errorText } from "@/api/errors";
import { Alert } from "@/components/alert";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { RadioCards } from "@/components/radio-cards";
import { Segmented } from "@/components/segmented";
import { Select } from "@/components/select";
import { hasDecimalCommas } from "@/lib/region";
import { recordKinds } from "@/records/kinds";
import type { AnyList } from "./use-list";

const endings = { csv: "csv", vcard: "vcf", json: "json" } as const;
type Format = keyof typeof endings;
/** Versions of vCards, the one that every program reads first. */
const versions = ["vcard3", "vcard"] as const;
const delimiters = ["comma", "semicolon", "tab"] as const;

/** Exports the records of a list in its order, with all fields or, to read, with the columns that it shows. */
export function ExportDialog({ list, onClose }: { list: AnyList; onClose: () => void }) {
  const { t } = useTranslation();
  const { kind, request, columns, shown, showable } = list;
  const [format, setFormat] = useState<Format>("csv");
  const [fields, setFields] = useState<"all" | "shown">("all");
  const [delimiter, setDelimiter] = useState<(typeof delimiters)[number]>(() => (hasDecimalCommas() ? "semicolon" : "comma"));
  const [version, setVersion] = useState<(typeof versions)[number]>("vcard3");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const formats: Format[] = kind === "customer" ? ["csv", "vcard", "json"] : ["csv", "json"];
  // The column with the name has no cell: it is always shown, first.
  const named = columns.slice(0, 1).filter(({ cell }) => !cell);
  const visible = [...named, ...shown];
  const start = async () => {
    const written = format === "vcard" ? version : format;
    const query = new URLSearchParams({ kind: recordKinds[kind].name, format: written, sort: request.sort });
    if (request.q) query.set("q", request.q);
    for (const filter of request.filter) query.append("filter", filter);
    if (format === "csv") query.set("delimiter", delimiter);
    if (format === "csv" && fields === "shown") for (const { id } of visible) query.append("columns", id);
    setBusy(true);
    setError(null);
    try {
      await download(`/api/exports?${query}`, `${t("ui.list.export.name")}.${endings[format]}`);
      onClose();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={t("ui.list.export.title")}
      isOpen
      hasOwnFocus
      onOpenChange={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t("ui.action.cancel")}</Button>
          <Button variant="primary" type="submit" form="export" busy={busy}>
            {t("ui.list.export.start")}
          </Button>
        </>
      }
    >
      <form
        id="export"
        className="grid grid-cols-1 gap-5"
        onSubmit={(event) => {
          event.preventDefault();
          void start();
        }}
      >
        <p className="text-muted">{t("ui.list.export.lead")}</p>
        {error !== null && <Alert kind="error">{errorText(error)}</Alert>}
        <Segmented
          label={t("ui.list.export.format")}
          value={format}
          onChange={setFormat}
          options={formats.map((one) => ({ value: one, label: t(`ui.list.export.formats.${one}`) }))}
          className="justify-self-start"
        />
        {format === "csv" && showable.length > 0 ? (
          <RadioCards
            label={t("ui.list.export.fields")}
            value={fields}
            onChange={setFields}
            options={[
              { value: "all", label: t("ui.list.export.all"), text: t("ui.list.export.allText") },
              {
                value: "shown",
                label: t("ui.list.export.shown"),
                text: t("ui.list.export.shownText", { columns: visible.map(({ label }) => label).join(", ") }),
              },
            ]}
          />
        ) : (
          <p className="text-sm text-muted">{t(`ui.list.export.about.${format}`)}</p>
        )}
        {format === "vcard" && (
          <RadioCards
            label={t("ui.list.export.version")}
            value={version}
            onChange={setVersion}
            options={versions.map((one) => ({
              value: one,
              label: t(`ui.list.export.versions.${one}`),
              text: t(`ui.list.export.versionTexts.${one}`),
            }))}
          />
        )}
        {format === "csv" && (
          <div>
            <Select
              label={t("ui.imports.delimiter")}
              value={delimiter}
              onChange={setDelimiter}
              options={delimiters.map((one) => ({ value: one, label: t(`ui.imports.delimiters.${one}`) }))}
            />
            <p className="mt-1.5 text-sm text-muted">{t("ui.list.export.delimiterHint")}</p>
          </div>
        )}
      </form>
    </Dialog>
  );
}
