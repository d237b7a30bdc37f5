import { create } from "zustand";
import type { EditedRecord } from "@/api/schema";

const keyOf = ({ kind, recordId }: EditedRecord) => `${kind} ${recordId}`;

/** The members who are editing each record; the server tells only those who edit it themselves. */
export const useEditors = create<Record<string, string[]>>(() => ({}));

export function setEditors(record: EditedRecord, memberIds: string[]) {
  useEditors.setState({ [keyOf(record)]: memberIds });
}

const noMembers: string[] = [];
/** Returns the members who are editing a record. */
export const useEditorsOf = (record: EditedRecord): string[] => useEditors((all) => all[keyOf(record)]) ?? noMembers;

/** Records whose last editor is kept. */
const maxChangers = 200;
const changers = new Map<string, string>();

export function noteChanger(record: EditedRecord, memberId: string) {
  const key = keyOf(record);
  changers.delete(key);
  changers.set(key, memberId);
  for (const oldest of changers.keys()) {
    if (changers.size <= maxChangers) break;
    changers.delete(oldest);
  }
}

/** Returns the member who last changed a record while this page was open, if any. */
export const changerOf = (record: EditedRecord): string | undefined => changers.get(keyOf(record));
