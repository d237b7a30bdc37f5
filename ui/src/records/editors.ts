import { create } from "zustand";
import type { EditedRecord } from "@/api/schema";

const keyOf = ({ kind, recordId }: EditedRecord) => `${kind} ${recordId}`;

/** Who has which record open to change, as the server tells those who do so themselves. */
export const useEditors = create<Record<string, string[]>>(() => ({}));

export function setEditors(record: EditedRecord, memberIds: string[]) {
  useEditors.setState({ [keyOf(record)]: memberIds });
}

const nobody: string[] = [];
/** The members who say that they edit a record. */
export const useEditorsOf = (record: EditedRecord): string[] => useEditors((all) => all[keyOf(record)]) ?? nobody;

/** Records of which is kept who changed them last. */
const kept = 200;
const changers = new Map<string, string>();

export function noteChanger(record: EditedRecord, memberId: string) {
  const key = keyOf(record);
  changers.delete(key);
  changers.set(key, memberId);
  for (const oldest of changers.keys()) {
    if (changers.size <= kept) break;
    changers.delete(oldest);
  }
}

/** Who changed a record last, if anybody did while this page was open. */
export const changerOf = (record: EditedRecord): string | undefined => changers.get(keyOf(record));
