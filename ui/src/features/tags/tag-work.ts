import i18n from "i18next";
import { ApiError, errorText } from "@/api/errors";
import { queryClient } from "@/api/query";
import type { TagChange } from "@/api/schema";
import { formatNumber } from "@/lib/format";
import { toast } from "@/lib/toast";
import { queryKeysOf } from "@/records/kinds";
import { tagsQuery } from "@/records/tags";
import { isInProgress, lookMs, rememberTagChange, tagCalls, tagChangeQuery } from "./data";

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Returns a refusal in words: a company makes one change at a time. */
export const refusalText = (error: unknown) =>
  error instanceof ApiError && error.code === "conflict" ? i18n.t("ui.tags.busy") : errorText(error);

function refresh() {
  void queryClient.invalidateQueries({ queryKey: tagsQuery.queryKey });
  for (const kind of ["customer", "organization", "deal", "task"] as const) {
    for (const queryKey of queryKeysOf(kind)) void queryClient.invalidateQueries({ queryKey });
  }
}

/** Shows a change on the page of tags until it is over. Returns it then. */
async function follow(begun: TagChange): Promise<TagChange> {
  let change = begun;
  rememberTagChange(change.id);
  const show = () => queryClient.setQueryData(tagChangeQuery(change.id).queryKey, change);
  show();
  while (isInProgress(change)) {
    await wait(lookMs);
    // A lost connection does not end the work: the next look says how far it is.
    change = await tagCalls.get(change.id).catch(() => change);
    show();
  }
  refresh();
  return change;
}

const count = (key: "skipped" | "undone" | "notUndone", number: number) =>
  i18n.t(`ui.list.bulk.${key}`, { count: number, total: formatNumber(number) });

/** Says what a change does, or did. */
export function changeText({ from, to }: Pick<TagChange, "from" | "to">, isDone = true) {
  if (to === undefined) return i18n.t(isDone ? "ui.tags.removed" : "ui.tags.removing", { tag: from });
  return i18n.t(isDone ? "ui.tags.renamed" : "ui.tags.renaming", { from, to });
}

/** Undoes changes, the last one first. */
export async function undoTagChanges(changes: TagChange[]) {
  try {
    let undone = 0;
    let left = 0;
    for (const { id } of changes.toReversed()) {
      const change = await follow(await tagCalls.undo(id));
      undone += change.undone;
      left += change.changed - change.undone;
    }
    toast.success([count("undone", undone), left > 0 && count("notUndone", left)].filter(Boolean).join(" "));
  } catch (error) {
    toast.error(refusalText(error));
  }
}

function report(changes: TagChange[], text: string) {
  const skipped = changes.reduce((sum, change) => sum + change.skipped, 0);
  const words = [text, skipped > 0 && count("skipped", skipped)].filter(Boolean).join(" ");
  toast.success(words, { label: i18n.t("ui.action.undo"), run: () => void undoTagChanges(changes) });
}

/** Follows a change that has begun, says how it went and offers to undo it. */
export const followTagChange = (begun: TagChange) => void follow(begun).then((change) => report([change], changeText(change)));

/** Merges tags into another one, one after the other. Errors: the refusal of the first one. */
export async function mergeTags(tags: string[], to: string) {
  const [first, ...others] = tags;
  if (first === undefined) return;
  const begun = await tagCalls.rename(first, to);
  const rest = async () => {
    const done = [await follow(begun)];
    try {
      for (const tag of others) done.push(await follow(await tagCalls.rename(tag, to)));
    } catch (error) {
      toast.error(refusalText(error));
    }
    report(done, i18n.t("ui.tags.merged", { count: done.length, total: formatNumber(done.length), to }));
  };
  void rest();
}
