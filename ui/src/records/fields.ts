import type { ParseKeys } from "i18next";
import type { RecordKind } from "@/api/schema";

/** What a field of a record holds, and so how its value is shown. */
export type FieldType =
  | { type: "text" | "day" | "member" | "record" | "tags" | "yesNo" }
  /** One of several values, each with a text. */
  | { type: "choice"; texts: Record<string, ParseKeys> }
  /** One or several values, each with a name. */
  | { type: "named"; names: Record<string, string> }
  | { type: "number" | "money" }
  /** A list of objects; one property of each is shown. */
  | { type: "items"; shown: string }
  /** The times of an event. */
  | { type: "times" }
  /** Too long or too complex for a line. */
  | { type: "long" };

/** A field of a kind of record: its name on the screen and what it holds. */
export type Field = ({ label: ParseKeys } | { name: string }) & FieldType;

const customer = {
  name: { label: "ui.customers.name", type: "text" },
  avatar: { label: "ui.customers.avatar", type: "long" },
  background: { label: "ui.customers.background", type: "long" },
  about: { label: "ui.customers.about", type: "text" },
  status: {
    label: "ui.customers.status",
    type: "choice",
    texts: { lead: "ui.customers.statuses.lead", active: "ui.customers.statuses.active", inactive: "ui.customers.statuses.inactive" },
  },
  tags: { label: "ui.customers.tags", type: "tags" },
  ownerId: { label: "ui.customers.owner", type: "member" },
  notes: { label: "ui.customers.notes", type: "long" },
  "details.emails": { label: "ui.customers.emails", type: "items", shown: "email" },
  "details.phoneNumbers": { label: "ui.customers.phones", type: "items", shown: "phoneNumber" },
  "details.title": { label: "ui.customers.jobTitle", type: "text" },
  "details.company": { label: "ui.customers.company", type: "text" },
  "details.birthday": { label: "ui.customers.birthday", type: "day" },
  "details.address": { label: "ui.customers.address", type: "text" },
  "attachments.media": { label: "ui.customers.attachments", type: "items", shown: "name" },
  "attachments.docs": { label: "ui.customers.attachments", type: "items", shown: "name" },
  "attachments.links": { label: "ui.customers.attachments", type: "items", shown: "name" },
} as const satisfies Record<string, Field>;

const task = {
  title: { label: "ui.tasks.titleField", type: "text" },
  notes: { label: "ui.tasks.notes", type: "text" },
  completed: { label: "ui.tasks.showCompleted", type: "yesNo" },
  priority: {
    label: "ui.tasks.priority",
    type: "choice",
    texts: { 0: "ui.tasks.priorities.low", 1: "ui.tasks.priorities.normal", 2: "ui.tasks.priorities.high" },
  },
  dueDate: { label: "ui.tasks.dueDate", type: "day" },
  assigneeId: { label: "ui.tasks.assignee", type: "member" },
  customerId: { label: "ui.tasks.customer", type: "record" },
  tags: { label: "ui.tasks.tags", type: "tags" },
  subtasks: { label: "ui.tasks.subtasks", type: "items", shown: "title" },
} as const satisfies Record<string, Field>;

const event = {
  title: { label: "ui.events.titleField", type: "text" },
  description: { label: "ui.events.description", type: "text" },
  location: { label: "ui.events.location", type: "text" },
  color: { label: "ui.events.color", type: "long" },
  when: { label: "ui.events.when", type: "times" },
  recurrence: { label: "ui.events.repeat", type: "long" },
  attendees: { label: "ui.events.attendees", type: "long" },
  reminders: { label: "ui.events.reminder", type: "long" },
} as const satisfies Record<string, Field>;

const page = {
  title: { label: "ui.pages.titleField", type: "text" },
  icon: { label: "ui.pages.icon", type: "text" },
  parentId: { label: "ui.pages.below", type: "record" },
  status: {
    label: "ui.pages.status",
    type: "choice",
    texts: { draft: "ui.pages.statuses.draft", published: "ui.pages.statuses.published" },
  },
  visibility: { label: "ui.visibility.title", type: "long" },
  body: { label: "ui.pages.body", type: "long" },
} as const satisfies Record<string, Field>;

type KindWithFields = Exclude<RecordKind, "member">;

/** The fields of each kind of record, by the names that the server gives them. */
const fields: Record<KindWithFields, Record<string, Field>> = { customer, task, event, page };

/** Returns a field of a kind, if this version of the interface knows it. */
export const fieldOf = (kind: KindWithFields, name: string): Field | undefined => fields[kind][name];
