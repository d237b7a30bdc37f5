import { useQuery } from "@tanstack/react-query";
import { FileUp } from "lucide-react";
import { type DragEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { ImportPlan } from "@/api/schema";
import { Alert } from "@/components/alert";
import { Button } from "@/components/button";
import { ProgressBar } from "@/components/progress-bar";
import { cx } from "@/lib/cx";
import { formatNumber, sizeLimit } from "@/lib/format";
import { newId } from "@/lib/new-id";
import { importLimitsQuery, uploadImport } from "./data";
import type { ImportedName } from "./kinds";
import { refusalText } from "./refusal-text";

/** The file that was chosen. */
interface Chosen {
  name: string;
  /** The share that has been sent, from 0 to 1. */
  share: number;
  /** Why it was refused. */
  refusal?: string;
}

export interface FileDropProps {
  kind: ImportedName;
  onDone: (plan: ImportPlan) => void;
  /** The content above the place for the file. */
  children: ReactNode;
}

/** Takes a file that is dropped anywhere on it, or chosen by its button, and uploads it. */
export function FileDrop({ kind, onDone, children }: FileDropProps) {
  const { t } = useTranslation();
  const picker = useRef<HTMLInputElement>(null);
  const running = useRef<AbortController>(undefined);
  const [chosen, setChosen] = useState<Chosen>();
  const [isOver, setOver] = useState(false);
  const { data: limits } = useQuery(importLimitsQuery);
  const size = limits && sizeLimit(limits.bytes);
  useEffect(() => () => running.current?.abort(), []);

  const take = async (files: FileList | null) => {
    const file = files?.[0];
    if (!files || !file || (chosen && !chosen.refusal)) return;
    if (files.length > 1) return setChosen({ name: file.name, share: 0, refusal: t("ui.imports.oneFile") });
    // The server would refuse it only after most of it was sent.
    if (limits && size && file.size > limits.bytes) {
      return setChosen({ name: file.name, share: 0, refusal: t("ui.imports.tooLarge", { size }) });
    }
    const control = new AbortController();
    running.current = control;
    const onProgress = (share: number) => setChosen({ name: file.name, share });
    onProgress(0);
    try {
      onDone(await uploadImport(kind, file, { key: newId(), signal: control.signal, onProgress }));
    } catch (error) {
      if (!control.signal.aborted) setChosen({ name: file.name, share: 0, refusal: refusalText(error) });
    }
  };
  const drop = {
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes("Files")) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: ({ currentTarget, relatedTarget }: DragEvent) => {
      if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setOver(false);
    },
    onDrop: (event: DragEvent) => {
      setOver(false);
      if (event.dataTransfer.files.length === 0) return;
      event.preventDefault();
      void take(event.dataTransfer.files);
    },
  };
  const isUploading = chosen && !chosen.refusal;
  return (
    <div {...drop} className="grid min-h-96 grid-cols-1 content-start gap-5">
      {children}
      {chosen?.refusal && (
        <Alert kind="error">
          <p className="font-medium [overflow-wrap:anywhere]">{t("ui.imports.refused", { name: chosen.name })}</p>
          <p>{chosen.refusal}</p>
        </Alert>
      )}
      <div
        className={cx(
          "rounded-2xl border-2 border-dashed bg-surface px-5 py-10 transition-colors duration-150",
          isOver ? "border-primary bg-tint-soft" : "border-line-strong",
        )}
      >
        {isUploading ? (
          <div className="mx-auto grid max-w-100 grid-cols-1 gap-4">
            <ProgressBar
              label={t(chosen.share < 1 ? "ui.imports.uploading" : "ui.imports.reading", { name: chosen.name })}
              share={chosen.share}
              text={formatNumber(chosen.share, { style: "percent" })}
              showsLabel
            />
            <Button
              data-refocus
              className="justify-self-start"
              size="sm"
              onClick={() => {
                running.current?.abort();
                setChosen(undefined);
              }}
            >
              {t("ui.action.cancel")}
            </Button>
          </div>
        ) : (
          <div className="flex flex-col items-center text-center">
            <span className="grid size-14 place-items-center rounded-full bg-tint text-on-tint">
              <FileUp aria-hidden size={26} />
            </span>
            <p className="mt-4 text-lg font-semibold text-ink pointer-coarse:hidden">{t("ui.imports.drop")}</p>
            <p id="accepts" className="mt-1 max-w-100 text-muted pointer-coarse:mt-4">
              {t(kind === "customers" ? "ui.imports.accepts.people" : "ui.imports.accepts.rows")}
              {limits && size && ` ${t("ui.imports.accepts.limits", { rows: formatNumber(limits.rows), size })}`}
            </p>
            <Button
              variant="primary"
              data-refocus
              aria-describedby="accepts"
              icon={FileUp}
              className="mt-5"
              onClick={() => picker.current?.click()}
            >
              {t("ui.imports.choose")}
            </Button>
          </div>
        )}
      </div>
      {/* Takes files of any type, because the server says what to do with the others. */}
      <input
        ref={picker}
        type="file"
        hidden
        aria-label={t("ui.imports.choose")}
        onChange={({ currentTarget }) => {
          void take(currentTarget.files);
          currentTarget.value = "";
        }}
      />
    </div>
  );
}
