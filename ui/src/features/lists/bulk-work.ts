import i18n from "i18next";
import { create } from "zustand";
import { errorText } from "@/api/errors";
import { queryClient } from "@/api/query";
import type { BulkChange, NewBulkChange } from "@/api/schema";
import { formatNumber } from "@/lib/format";
import { toast } from "@/lib/toast";
import { kindAt, queryKeysOf } from "@/records/kinds";
import { bulkCalls } from "./data";

/** Milliseconds between two looks at a bulk change in progress. */
const lookMs = 700;

/** The bulk change in progress. */
export const useBulkWork = create<{ change?: BulkChange | undefined }>(() => ({}));

const isInProgress = ({ state }: BulkChange) => state === "running" || state === "undoing";
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function refresh(change: BulkChange) {
  const kind = kindAt(change.kind);
  for (const queryKey of kind ? [...queryKeysOf(kind), ["bin"], ["bulk"]] : []) void queryClient.invalidateQueries({ queryKey });
}

/** Shows a bulk change until it is over. Returns it then. */
async function follow(begun: BulkChange): Promise<BulkChange> {
  let change = begun;
  while (isInProgress(change)) {
    useBulkWork.setState({ change });
    await wait(lookMs);
    // A lost connection does not end the work: the next look says how far it is.
    change = await bulkCalls.get(change.id).catch(() => change);
  }
  useBulkWork.setState({ change: undefined });
  refresh(change);
  return change;
}

const text = (key: "changed" | "removed" | "skipped" | "undone" | UndoReason, count: number) =>
  i18n.t(`ui.list.bulk.${key}`, { count, total: formatNumber(count) });

/** Why records stay as they are when a change is undone. */
type UndoReason = "notUndone" | "valueTaken" | "notThere" | "notPutBack";

/** The texts for the codes of errors; any other code is `notPutBack`. */
const reasons: Record<string, UndoReason> = { stale_version: "notUndone", conflict: "valueTaken", not_found: "notThere" };

/** Says how many records stayed as they are when a change was undone, for each reason. */
export function undoSkipsText({ undoSkips, undoSkipped }: BulkChange): string {
  const counts = new Map<UndoReason, number>();
  const add = (reason: UndoReason, count: number) => counts.set(reason, (counts.get(reason) ?? 0) + count);
  for (const { reason } of undoSkips) add(reasons[reason] ?? "notPutBack", 1);
  // Only the first are listed.
  if (undoSkipped > undoSkips.length) add("notPutBack", undoSkipped - undoSkips.length);
  return [...counts].map(([reason, count]) => text(reason, count)).join(" ");
}

/** Undoes a bulk change, and says how it went. */
export async function undoBulkChange({ id }: BulkChange) {
  try {
    const change = await follow(await bulkCalls.undo(id));
    toast.success([text("undone", change.undone), undoSkipsText(change)].filter(Boolean).join(" "));
  } catch (error) {
    toast.error(errorText(error));
  }
}

/** Changes many records, and says how it went. Errors: the server's refusal. */
export const startBulkChange = async (asked: NewBulkChange) => followBulkChange(await bulkCalls.create(asked));

/** What a bulk change of a kind's own does besides the usual. */
interface OwnChange {
  /** Names what was done. */
  text: (changed: number) => string;
  /** Reads again what shows other kinds of records. */
  refresh: () => void;
}

/** Shows a bulk change that has begun, says how it went and offers to undo it. */
export function followBulkChange(begun: BulkChange, own?: OwnChange) {
  void follow(begun).then((change) => {
    own?.refresh();
    const done = own?.text(change.changed) ?? text(change.remove ? "removed" : "changed", change.changed);
    const words = [done, change.skipped > 0 && text("skipped", change.skipped)].filter(Boolean).join(" ");
    const action = { label: i18n.t("ui.action.undo"), run: () => void undoBulkChange(change).then(own?.refresh) };
    toast.success(words, change.changed > 0 ? action : undefined);
  });
}

/** Stops the bulk change in progress; what is done can still be taken back. */
export async function stopBulkChange({ id }: BulkChange) {
  await bulkCalls.stop(id);
}
