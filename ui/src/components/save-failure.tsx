import { useTranslation } from "react-i18next";
import { errorText } from "@/api/errors";
import { isStale } from "@/records/conflicts";
import { isGone } from "@/records/data";
import { Alert } from "./alert";
import { StaleNote } from "./stale-note";

export interface SaveFailureProps {
  /** Why the last save failed, if it did. */
  error: unknown;
  /** Whether a field shows the error already. */
  isPlaced?: boolean;
  onCompare: () => void;
  className?: string;
}

/** Says why a record was not saved; offers to compare the versions if it has changed since it was read. */
export function SaveFailure({ error, isPlaced, onCompare, className }: SaveFailureProps) {
  const { t } = useTranslation();
  if (!error) return null;
  const look = className ? { className } : {};
  if (isStale(error)) return <StaleNote {...look} onCompare={onCompare} />;
  return isPlaced ? null : (
    <Alert kind="error" {...look}>
      {isGone(error) ? t("ui.bin.typedStays") : errorText(error)}
    </Alert>
  );
}
