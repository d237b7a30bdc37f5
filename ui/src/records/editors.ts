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

/** Maximum records whose member is kept. */
const maxRecords = 200;

/** Keeps a member by record, for the newest records. */
function memberByRecord() {
  const members = new Map<string, string>();
  return {
    note: (record: EditedRecord, memberId: string) => {
      const key = keyOf(record);
      members.delete(key);
      members.set(key, memberId);
      for (const oldest of members.keys()) {
        if (members.size <= maxRecords) break;
        members.delete(oldest);
      }
    },
    of: (record: EditedRecord): string | undefined => members.get(keyOf(record)),
  };
}

const changers = memberByRecord();
const removers = memberByRecord();

export const noteChanger = changers.note;

/** Returns the member who last changed a record while this page was open, if any. */
export const changerOf = changers.of;

export const noteRemover = removers.note;

/** Returns the member who moved a record to the bin while this page was open, if any. */
export const removerOf = removers.of;
