import { errorText } from "@/api/errors";
import { isStale } from "@/records/conflicts";
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
  if (!error) return null;
  const look = className ? { className } : {};
  if (isStale(error)) return <StaleNote {...look} onCompare={onCompare} />;
  return isPlaced ? null : (
    <Alert kind="error" {...look}>
      {errorText(error)}
    </Alert>
  );
}
