import { useRef, useState } from "react";
import type { Activity, ActivityType } from "@/api/schema";
import { readTyped, writeTyped } from "@/lib/drafts";
import { textOrNull } from "@/lib/text-or-null";
import { clock, instantOf, isoDay } from "@/lib/zone";
import { isSameValue } from "@/records/conflicts";
import type { TimelineKind, TimelineOf } from "@/records/timelines";
import type { ContactOf, EntryType } from "./logging";

/** The types of activities, in the order in which they are offered. */
export const activityTypes = ["note", "call", "visit", "email"] as const satisfies readonly ActivityType[];

export const hasActivities = (record: TimelineOf): record is ContactOf =>
  (["customer", "organization", "deal"] satisfies TimelineKind[] as TimelineKind[]).includes(record.kind);

/** What the form of a task holds. */
export interface StepValues {
  title: string;
  dueDate: string | null;
  assigneeId: string | null;
}

/** What the form of an activity holds. */
export interface ActivityValues {
  text: string;
  outcome: string;
  /** When it was; absent for now. */
  at?: { day: string | null; time: string } | undefined;
  next?: StepValues | undefined;
}

export const noValues: ActivityValues = { text: "", outcome: "" };

/** Returns the values of a form that changes an activity. */
export function valuesOf({ text = "", outcome = "", at }: RevisedActivity["base"]): ActivityValues {
  const instant = new Date(at);
  return { text, outcome, at: { day: isoDay(instant), time: clock(instant) } };
}

/** A logged activity that is being changed. */
export interface RevisedActivity {
  /** The activity when the change began. */
  base: Pick<Activity, "version" | "text" | "outcome" | "at">;
  values: ActivityValues;
  /** Whether it was typed before the page was opened, and could not be saved. */
  isKept?: boolean;
}

const revisedName = (id: string) => `activity.${id}.edit`;

/** Reads what is typed of an activity and not saved. */
export function readRevised(member: string, id: string): RevisedActivity | undefined {
  const kept = readTyped<RevisedActivity>(member, revisedName(id));
  return kept && { ...kept, isKept: true };
}

/** Stores what is typed of an activity until it is saved, or deletes it. */
export function keepRevised(member: string, id: string, revised: RevisedActivity | undefined) {
  const isChanged = revised && !isSameValue(revised.values, valuesOf(revised.base));
  writeTyped(member, revisedName(id), isChanged ? revised : undefined);
}

/** Returns the fields that creating and changing an activity have in common. */
export function inputOf({ text, outcome, at }: ActivityValues, type: ActivityType) {
  return {
    type,
    text: textOrNull(text),
    // Nothing comes of a note.
    outcome: type === "note" ? null : textOrNull(outcome),
    ...(at?.day && { at: instantOf(at.day, at.time || "00:00").toISOString() }),
  };
}

/** What is being added: its type, undefined for a comment, and what is typed of an activity and of a task. */
export interface EntryDraft extends ActivityValues {
  type?: EntryType | undefined;
  task?: StepValues | undefined;
}

/** Whether something was typed or chosen besides the type. */
export const isTyped = ({ text, outcome, at, next, task }: EntryDraft) => Boolean(text || outcome || at || next || task);

const draftOf = ({ id }: ContactOf) => `activity.${id}`;

/** Reads the draft of a new entry of a record. */
export const readEntryDraft = (member: string, record: ContactOf): EntryDraft => ({
  ...noValues,
  ...readTyped<Partial<EntryDraft>>(member, draftOf(record)),
});

/** Manages the draft of a new entry of a record, which survives closing the record and a reload. */
export function useEntryDraft(member: string, record: ContactOf): [EntryDraft, (change: Partial<EntryDraft>) => void] {
  const [draft, setDraft] = useState(() => readEntryDraft(member, record));
  const latest = useRef(draft);
  return [
    draft,
    (change) => {
      const next = { ...latest.current, ...change };
      latest.current = next;
      setDraft(next);
      writeTyped(member, draftOf(record), isTyped(next) ? next : undefined);
    },
  ];
}
