import { Trash2, Undo2 } from "lucide-react";
import { useTranslation } from "react-i18next";
import { ApiError, errorText } from "@/api/errors";
import { Alert } from "@/components/alert";
import { Button } from "@/components/button";
import { ButtonLink } from "@/components/button-link";
import { ErrorState } from "@/components/error-state";
import { mediumDate } from "@/lib/format";
import type { CreatedKind } from "@/records/kinds";
import { useRestore } from "@/records/use-restore";

export interface RecordMissingProps {
  kind: CreatedKind;
  id: string;
  /** Its name, if it is known. */
  title?: string | undefined;
  error: unknown;
  onRetry: () => void;
}

/** Why a record is not shown: it is in the bin, from which the member may restore it, or it cannot be read. */
export function RecordMissing({ kind, id, title, error, onRetry }: RecordMissingProps) {
  const { t } = useTranslation();
  const restore = useRestore();
  const deletedAt = error instanceof ApiError && error.code === "record_in_bin" ? error.problem.deletedAt : undefined;
  if (!deletedAt) return <ErrorState error={error} onRetry={onRetry} />;
  const day = mediumDate(deletedAt);
  return (
    <div role="status" className="flex flex-col items-center px-6 py-10 text-center">
      <span className="grid size-14 place-items-center rounded-full bg-hover text-muted">
        <Trash2 aria-hidden size={26} />
      </span>
      <p dir="auto" className="mt-4 max-w-96 text-body [overflow-wrap:anywhere]">
        {title ? t("ui.bin.namedSince", { title, day }) : t("ui.bin.since", { day })}
      </p>
      <div className="mt-5 flex flex-wrap justify-center gap-2">
        <Button variant="primary" icon={Undo2} busy={restore.isPending} onClick={() => restore.mutate({ id, kind })}>
          {t("ui.bin.restore")}
        </Button>
        <ButtonLink to="/settings/data/bin" icon={Trash2}>
          {t("ui.bin.show")}
        </ButtonLink>
      </div>
      {restore.error && (
        <Alert kind="error" className="mt-5 text-left">
          {errorText(restore.error)}
        </Alert>
      )}
    </div>
  );
}
