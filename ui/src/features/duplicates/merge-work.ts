import i18n from "i18next";
import { create } from "zustand";
import { errorText } from "@/api/errors";
import { queryClient } from "@/api/query";
import type { Merge } from "@/api/schema";
import { fieldsQuery } from "@/features/fields/data";
import { formatNumber, listOf } from "@/lib/format";
import { toast } from "@/lib/toast";
import { fieldOf } from "@/records/fields";
import { asMerged, createdKinds, queryKeysOf, recordKinds } from "@/records/kinds";
import { unmarkRemoved } from "@/records/removed";
import { isInProgress, mergeCalls } from "./data";

/** Milliseconds between two looks at a merge in progress. */
const lookMs = 700;

/** The merges in progress that were started here, by their ids. */
export const useMergeWork = create<Record<string, Merge>>(() => ({}));

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Reads again what a merge changes: the records, and all that refers to them. */
function refresh() {
  const families = createdKinds.flatMap(({ kind }) => queryKeysOf(kind));
  for (const queryKey of [...families, ["merges"], ["duplicates"], ["bin"]]) void queryClient.invalidateQueries({ queryKey });
}

/** Shows a merge until it or its undoing is over. Returns it then. */
async function follow(begun: Merge): Promise<Merge> {
  let merge = begun;
  refresh();
  while (isInProgress(merge)) {
    useMergeWork.setState({ [merge.id]: merge });
    await wait(lookMs);
    // A lost connection does not end the work: the next look says how far it is.
    merge = await mergeCalls.get(merge.id).catch(() => merge);
  }
  useMergeWork.setState(({ [begun.id]: _done, ...others }) => others, true);
  refresh();
  return merge;
}

/** Returns the name of a field by the path that the server gives it. */
function fieldName({ kind }: Merge, path: string): string | undefined {
  const merged = asMerged(kind);
  const field = merged && fieldOf(merged, path);
  if (field && "label" in field) return i18n.t(field.label);
  if (path === "externalId") return i18n.t("ui.duplicates.externalId");
  const custom = merged && queryClient.getQueryData(fieldsQuery.queryKey);
  return custom?.find((one) => merged && one.kind === recordKinds[merged].name && path === `fields.${one.key}`)?.name;
}

/** Says what an undone merge left as it is, because it was changed since; nothing if all is as before. */
export function leftText(merge: Merge): string {
  const names = [...new Set(merge.leftFields.flatMap((path) => fieldName(merge, path) ?? []))];
  const unnamed = merge.leftFields.length > 0 && names.length === 0;
  return [
    names.length > 0 && i18n.t("ui.duplicates.leftFields", { count: names.length, fields: listOf(names) }),
    unnamed && i18n.t("ui.duplicates.leftUnnamed"),
    merge.left > 0 && i18n.t("ui.duplicates.left", { count: merge.left, total: formatNumber(merge.left) }),
  ]
    .filter(Boolean)
    .join(" ");
}

/** The toast that offers to undo the last merge. */
let offered: { merge: string; toast: number } | undefined;

/** Takes the offer away: another merge was made, or this one is undone. */
function withdrawOffer() {
  if (offered) toast.withdraw(offered.toast);
  offered = undefined;
}

/** Undoes a merge, and says how it went. */
export async function undoMerge({ id, duplicateId }: Pick<Merge, "id" | "duplicateId">) {
  if (offered?.merge === id) withdrawOffer();
  try {
    const begun = await mergeCalls.undo(id);
    unmarkRemoved(duplicateId);
    const merge = await follow(begun);
    if (merge.state !== "undone") return void toast.error(i18n.t("ui.duplicates.undoneInPart"));
    toast.success([i18n.t("ui.duplicates.undone", { title: merge.duplicateTitle }), leftText(merge)].filter(Boolean).join(" "));
  } catch (error) {
    refresh();
    toast.error(errorText(error));
  }
}

/** Shows a merge that has begun, and offers to undo it when it is over; `kept` names the record that is kept. */
export async function followMerge(begun: Merge, kept: string) {
  withdrawOffer();
  const merge = await follow(begun);
  if (merge.state === "undone") return;
  withdrawOffer();
  const shown = toast.success(i18n.t(merge.state === "stopped" ? "ui.duplicates.mergedPartly" : "ui.duplicates.merged", { kept }), {
    label: i18n.t("ui.action.undo"),
    run: () => void undoMerge(merge),
  });
  offered = { merge: merge.id, toast: shown };
}
