import type { QueryClient } from "@tanstack/react-query";
import i18n from "i18next";
import { api } from "@/api/client";
import { errorText } from "@/api/errors";
import type { InputOf, RecordOf } from "@/api/schema";
import { listOf } from "@/lib/format";
import { property, valueAt } from "@/lib/property";
import { toast } from "@/lib/toast";
import { undo } from "@/lib/undo";
import { isSameValue } from "./conflicts";
import { readRecord } from "./data";
import { inputsOf, pathsOfKind } from "./fields";
import { type CreatedKind, queryKeysOf, recordKinds } from "./kinds";
import { cardOf } from "./record-titles";

/** Names the fields with these names in the form; empty for fields that the form does not show. */
export function fieldLabels(kind: CreatedKind, names: string[]): string {
  const inputs = inputsOf(kind);
  const found = names.flatMap((name) => inputs.get(name) ?? []);
  // The organization that a company is linked with is no field of its own.
  const links = found.flatMap((field) => (field.type === "company" ? [field.link] : []));
  const shown = names.filter((name) => !links.includes(name)).flatMap((name) => inputs.get(name) ?? []);
  return listOf([...new Set(shown.map((field) => ("name" in field ? field.name : String(i18n.t(field.label)))))]);
}

/** Says what was undone: the fields or, where none is known, the record. */
export function sayUndone(labels: string, record: object) {
  const what = labels || cardOf(record).title || i18n.t("ui.records.untitled");
  toast.info(i18n.t("ui.undo.what", { what }));
}

interface UndoneChange<R extends object> {
  /** Returns the latest record. */
  read: () => Promise<R>;
  /** Whether the record still has what the change made of it. */
  isUnchanged: (latest: R) => boolean;
  /** Saves the former values over the latest record. */
  putBack: (latest: R) => Promise<unknown>;
  /** The names of the changed fields. */
  labels: string;
}

/** Undoes a change, unless someone has changed the same since; says what was undone, or why it was not. */
export async function undoChange<R extends object>({ read, isUnchanged, putBack, labels }: UndoneChange<R>) {
  try {
    const latest = await read();
    if (!isUnchanged(latest)) return void toast.error(i18n.t("ui.undo.changedSince"));
    await putBack(latest);
    sayUndone(labels, latest);
  } catch (error) {
    toast.error(errorText(error));
  }
}

/** Returns the paths of a body's values. A group of fields, such as `details`, has a path for each of them. */
function pathsIn(kind: CreatedKind, body: object): string[] {
  const isGroup = (name: string) => pathsOfKind(kind).some((path) => path.startsWith(`${name}.`));
  return Object.entries(body).flatMap(([name, value]) =>
    isGroup(name) && value ? Object.keys(value).map((part) => `${name}.${part}`) : [name],
  );
}

/** A form that was saved. */
interface SavedForm<K extends CreatedKind> {
  kind: K;
  before: RecordOf<K>;
  saved: RecordOf<K>;
  /** What the form sent, and what it would send for the values before. */
  sent: InputOf<K>;
  former: InputOf<K>;
  change: (body: InputOf<K>, latest: RecordOf<K>) => Promise<unknown>;
}

/** Lets a saved form be undone: the fields that it changed get their former values. */
export function noteFormSaved<K extends CreatedKind>({ kind, before, saved, sent, former, change }: SavedForm<K>) {
  const own = pathsOfKind(kind);
  const others = [...new Set([...pathsIn(kind, sent), ...pathsIn(kind, former)])].filter((path) => !own.includes(path));
  const isChanged = (path: string) => !isSameValue(valueAt(before, path), valueAt(saved, path));
  const changed = [...own, ...others].filter(isChanged);
  if (changed.length === 0) return;
  const body: Record<string, unknown> = {};
  const set = (path: string, value: unknown) => {
    const [name = path, part] = path.split(".");
    body[name] = part === undefined ? value : { ...(body[name] as object | undefined), [part]: value };
  };
  const inputs = inputsOf(kind);
  const inputOf = (path: string) => path.split(".").at(-1) ?? path;
  for (const path of changed.filter((one) => own.includes(one))) {
    const field = inputs.get(inputOf(path));
    // The server sets the name of a linked organization.
    if (field?.type === "company" && property(before, field.link)) continue;
    set(path, valueAt(before, path) ?? null);
  }
  // What the form holds in another way than the record belongs together: start, end and time zone of an event.
  if (others.some(isChanged))
    for (const path of pathsIn(kind, former).filter((one) => others.includes(one))) set(path, valueAt(former, path));
  const act = `form.${kind}.${saved.id}.${saved.version}`;
  undo.add(
    act,
    () =>
      void undoChange({
        read: () => readRecord(kind, saved.id),
        isUnchanged: (latest) => changed.every((path) => isSameValue(valueAt(latest, path), valueAt(saved, path))),
        putBack: (latest) => change(body as InputOf<K>, latest),
        labels: fieldLabels(kind, changed.map(inputOf)),
      }),
  );
}

/** Keeps Ctrl+Z from undoing an older act than one that cannot be undone, and says so. */
export const noteNotUndoable = (id: string) => undo.add(id, () => void toast.info(i18n.t("ui.undo.notPossible")));

/** Lets the creation of a record be undone: it is moved to the bin, unless it was changed since. */
export function noteCreated<K extends CreatedKind>(client: QueryClient, kind: K, created: RecordOf<K>) {
  const { id } = created;
  const { name } = recordKinds[kind];
  const title = cardOf(created).title || i18n.t("ui.records.untitled");
  const run = async () => {
    try {
      const latest = await readRecord(kind, id);
      const isChanged = pathsOfKind(kind).some((path) => !isSameValue(valueAt(latest, path), valueAt(created, path)));
      if (isChanged) return void toast.error(i18n.t("ui.undo.changedSince"));
      await api.delete(`/api/${name}/{id}`, { path: { id } });
      for (const queryKey of [["bin"], ...queryKeysOf(kind)]) void client.invalidateQueries({ queryKey });
      toast.info(i18n.t("ui.undo.created", { title }));
    } catch (error) {
      toast.error(errorText(error));
    }
  };
  undo.add(`created.${kind}.${id}`, () => void run());
}
