import { Trash2, Undo2 } from "lucide-react";
import { useTranslation } from "react-i18next";
import { ApiError, errorText } from "@/api/errors";
import { Alert } from "@/components/alert";
import { Button } from "@/components/button";
import { ButtonLink } from "@/components/button-link";
import { ErrorState } from "@/components/error-state";
import { useMembers } from "@/features/team/data";
import { mediumDate } from "@/lib/format";
import { isGone } from "@/records/data";
import { removerOf } from "@/records/editors";
import type { CreatedKind } from "@/records/kinds";
import { useRestore } from "@/records/use-restore";

export interface RecordMissingProps {
  kind: CreatedKind;
  id: string;
  /** Its name, if it is known. */
  title?: string | undefined;
  error: unknown;
  /** Whether it was shown a moment ago, and so was deleted since. */
  wasShown?: boolean;
  onRetry: () => void;
}

/** The kinds that can be hidden from a member who saw them. */
const hiddenKinds: CreatedKind[] = ["deal", "page"];

/** Returns a sentence about a record that was shown a moment ago: who moved it to the bin, if known. */
function useMovedText({ kind, id, title, error }: Pick<RecordMissingProps, "kind" | "id" | "title" | "error">): string {
  const { t } = useTranslation();
  const { find } = useMembers();
  const shown = title || t("ui.records.untitled");
  const name = find(removerOf({ kind, recordId: id }))?.name;
  if (name) return t("ui.bin.movedBy", { name, title: shown });
  const isInBin = error instanceof ApiError && error.code === "record_in_bin";
  return t(isInBin || !hiddenKinds.includes(kind) ? "ui.bin.moved" : "ui.bin.movedOrHidden", { title: shown });
}

/** Above what someone is typing into a record that was moved to the bin: says so, and lets those who may restore it. */
export function RecordMovedNote({ kind, id, title, error }: Pick<RecordMissingProps, "kind" | "id" | "title" | "error">) {
  const { t } = useTranslation();
  const restore = useRestore();
  const text = useMovedText({ kind, id, title, error });
  const mayRestore = error instanceof ApiError && error.code === "record_in_bin";
  return (
    <Alert kind="error" className="mx-5 mt-4 sm:mx-6">
      <span className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        {[text, restore.error && errorText(restore.error)].filter(Boolean).join(" ")}
        {mayRestore && (
          <Button size="sm" icon={Undo2} busy={restore.isPending} onClick={() => restore.mutate({ id, kind })}>
            {t("ui.bin.restore")}
          </Button>
        )}
      </span>
    </Alert>
  );
}

/** Why a record is not shown: it is in the bin, from which the member may restore it, or it cannot be read. */
export function RecordMissing({ kind, id, title, error, wasShown = false, onRetry }: RecordMissingProps) {
  const { t } = useTranslation();
  const restore = useRestore();
  const deletedAt = error instanceof ApiError && error.code === "record_in_bin" ? error.problem.deletedAt : undefined;
  const moved = useMovedText({ kind, id, title, error });
  const isMoved = wasShown && isGone(error);
  if (!deletedAt && !isMoved) return <ErrorState error={error} onRetry={onRetry} />;
  const day = deletedAt ? mediumDate(deletedAt) : "";
  return (
    <div role="status" className="flex flex-col items-center px-6 py-10 text-center">
      <span className="grid size-14 place-items-center rounded-full bg-hover text-muted">
        <Trash2 aria-hidden size={26} />
      </span>
      <p dir="auto" className="mt-4 max-w-96 text-body [overflow-wrap:anywhere]">
        {isMoved ? moved : title ? t("ui.bin.namedSince", { title, day }) : t("ui.bin.since", { day })}
      </p>
      {deletedAt && (
        <div className="mt-5 flex flex-wrap justify-center gap-2">
          <Button variant="primary" icon={Undo2} busy={restore.isPending} onClick={() => restore.mutate({ id, kind })}>
            {t("ui.bin.restore")}
          </Button>
          <ButtonLink to="/settings/data/bin" icon={Trash2}>
            {t("ui.bin.show")}
          </ButtonLink>
        </div>
      )}
      {restore.error && (
        <Alert kind="error" className="mt-5 text-left">
          {errorText(restore.error)}
        </Alert>
      )}
    </div>
  );
}
