import type { ParseKeys } from "i18next";
import type { Customer, RecordKind, Subtask } from "@/api/schema";
import { phoneText } from "@/lib/countries";
import type { CreatedKind } from "./kinds";

/** What a field of a record holds, and so how its value is shown. */
export type FieldType =
  | { type: "member" | "tags" | "yesNo" }
  /** A day; with `yearIsOptional`, its year may be unknown: `--MM-DD`. */
  | { type: "day"; yearIsOptional?: true }
  /** A text, of several lines if it is long. */
  | { type: "text"; isLong?: true }
  | { type: "record"; target?: CreatedKind | undefined }
  /** A text, or the name of the organization whose id the field `link` has. */
  | { type: "company"; link: string }
  /** One of several values, each with a text. */
  | { type: "choice"; texts: Record<string, ParseKeys> }
  /** One or several values, each with a name. */
  | { type: "named"; names: Record<string, string> }
  /** A stage of deals, or a reason why they are won or lost. */
  | { type: "pipeline"; part: "stages" | "reasons" }
  /** A status of customers. */
  | { type: "status" }
  | { type: "number" | "money" }
  /** A list of objects, and what is shown of each. */
  | { type: "items"; text: (item: never) => string }
  /** Those who attend an event. */
  | { type: "attendees" }
  /** The times of an event. */
  | { type: "times" }
  | { type: "html" | "picture" }
  /** Shown only by the kind itself. */
  | { type: "special" };

/** A field of a kind of record: its name on the screen and what it holds. */
export type Field = ({ label: ParseKeys } | { name: string }) & {
  /** Its name in the form, where it is not the last part of the server's name. */
  input?: string;
  /** What is shown when it is empty. */
  none?: ParseKeys;
  /** Whether it is edited in the form only, to whose inputs its fact leads. */
  inForm?: true;
} & FieldType;

const labelled = (text: string, label: string | undefined) => (text.trim() ? [text, label].filter(Boolean).join(" · ") : "");
const attachment = {
  label: "ui.customers.attachments",
  input: "attachments",
  type: "items",
  text: ({ name, url }: { name?: string; url: string }) => name || url,
} as const;

const customer = {
  name: { label: "ui.customers.name", type: "text" },
  avatar: { label: "ui.customers.avatar", type: "picture" },
  background: { label: "ui.customers.background", type: "picture" },
  status: { label: "ui.customers.status", type: "status" },
  ownerId: { label: "ui.customers.owner", type: "member" },
  "details.company": { label: "ui.customers.company", type: "company", link: "organizationId" },
  organizationId: { label: "ui.customers.organization", type: "record", target: "organization" },
  "details.title": { label: "ui.customers.jobTitle", type: "text" },
  tags: { label: "ui.customers.tags", type: "tags" },
  "details.emails": {
    label: "ui.customers.emails",
    inForm: true,
    type: "items",
    text: ({ email, label }: Customer["details"]["emails"][number]) => labelled(email, label),
  },
  "details.phoneNumbers": {
    label: "ui.customers.phones",
    type: "items",
    inForm: true,
    text: (phone: Customer["details"]["phoneNumbers"][number]) => phone.phoneNumber.trim() && labelled(phoneText(phone), phone.label),
  },
  "details.address": { label: "ui.customers.address", type: "text", isLong: true },
  "details.birthday": { label: "ui.customers.birthday", type: "day", yearIsOptional: true },
  about: { label: "ui.customers.about", type: "text", isLong: true },
  notes: { label: "ui.customers.notes", type: "html" },
  "attachments.media": attachment,
  "attachments.docs": attachment,
  "attachments.links": attachment,
} as const satisfies Record<string, Field>;

const organization = {
  name: { label: "ui.customers.name", type: "text" },
  logo: { label: "ui.organizations.logo", type: "picture" },
  ownerId: { label: "ui.customers.owner", type: "member" },
  website: { label: "ui.organizations.website", type: "text" },
  tags: { label: "ui.customers.tags", type: "tags" },
  emails: customer["details.emails"],
  phoneNumbers: customer["details.phoneNumbers"],
  address: { label: "ui.customers.address", type: "text", isLong: true },
  about: { label: "ui.customers.about", type: "text", isLong: true },
} as const satisfies Record<string, Field>;

const deal = {
  title: { label: "ui.deals.titleField", type: "text" },
  customerId: { label: "ui.deals.person", type: "record", target: "customer", none: "ui.deals.noPerson" },
  organizationId: { label: "ui.deals.organization", type: "record", target: "organization" },
  value: { label: "ui.deals.value", type: "money" },
  stageId: { label: "ui.deals.stage", type: "pipeline", part: "stages" },
  expectedDay: { label: "ui.deals.expectedDay", type: "day" },
  ownerId: { label: "ui.customers.owner", type: "member" },
  outcome: {
    label: "ui.deals.outcome",
    type: "choice",
    texts: { open: "ui.deals.outcomes.open", won: "ui.deals.outcomes.won", lost: "ui.deals.outcomes.lost" },
  },
  reasonId: { label: "ui.deals.reason", type: "pipeline", part: "reasons" },
  reason: { label: "ui.deals.reasonText", type: "text", isLong: true },
  tags: { label: "ui.customers.tags", type: "tags" },
  about: { label: "ui.customers.about", type: "text", isLong: true },
  visibility: { label: "ui.visibility.title", type: "special" },
} as const satisfies Record<string, Field>;

const task = {
  title: { label: "ui.tasks.titleField", type: "text" },
  completed: {
    label: "ui.versions.state",
    type: "choice",
    texts: { true: "ui.versions.completed", false: "ui.versions.open" },
  },
  assigneeId: { label: "ui.tasks.assignee", type: "member" },
  dueDate: { label: "ui.tasks.dueDate", type: "day" },
  priority: {
    label: "ui.tasks.priority",
    type: "choice",
    texts: { 0: "ui.tasks.priorities.low", 1: "ui.tasks.priorities.normal", 2: "ui.tasks.priorities.high" },
  },
  order: { label: "ui.tasks.section", type: "special" },
  customerId: { label: "ui.tasks.customer", type: "record", target: "customer" },
  organizationId: { label: "ui.tasks.organization", type: "record", target: "organization" },
  dealId: { label: "ui.tasks.deal", type: "record", target: "deal" },
  tags: { label: "ui.tasks.tags", type: "tags" },
  notes: { label: "ui.tasks.notes", type: "text", isLong: true },
  subtasks: {
    label: "ui.tasks.subtasks",
    type: "items",
    text: ({ title, completed }: Subtask) => `${completed ? "☑" : "☐"} ${title}`,
  },
} as const satisfies Record<string, Field>;

const event = {
  title: { label: "ui.events.titleField", type: "text" },
  when: { label: "ui.events.when", type: "times" },
  recurrence: { label: "ui.events.repeat", type: "special" },
  location: { label: "ui.events.location", type: "text" },
  color: { label: "ui.events.color", type: "special" },
  reminders: { label: "ui.events.reminder", type: "special" },
  attendees: { label: "ui.events.attendees", type: "attendees" },
  description: { label: "ui.events.description", type: "text", isLong: true },
} as const satisfies Record<string, Field>;

const page = {
  title: { label: "ui.pages.titleField", type: "text" },
  icon: { label: "ui.pages.icon", type: "text" },
  status: {
    label: "ui.pages.status",
    type: "choice",
    texts: { draft: "ui.pages.statuses.draft", published: "ui.pages.statuses.published" },
  },
  parentId: { label: "ui.pages.below", type: "record", target: "page", none: "ui.pages.atTop" },
  body: { label: "ui.pages.body", type: "html" },
  visibility: { label: "ui.visibility.title", type: "special" },
} as const satisfies Record<string, Field>;

type KindWithFields = Exclude<RecordKind, "member">;

/** The fields of each kind of record, by the names that the server gives them, in the order of its form. */
const fields: Record<KindWithFields, Record<string, Field>> = { customer, organization, deal, task, event, page };

/** Returns a field of a kind, if this version of the interface knows it. */
export const fieldOf = (kind: KindWithFields, name: string): Field | undefined => fields[kind][name];

/** Returns the server's names of the fields of a kind. */
export const pathsOfKind = (kind: KindWithFields): string[] => Object.keys(fields[kind]);

/** Returns the name of a field in its form. */
const inputOf = (name: string, field: Field) => field.input ?? name.split(".").at(-1) ?? name;

/** Returns the fields of a kind by the names that they have in its form, each once. */
export const inputsOf = (kind: KindWithFields): Map<string, Field> =>
  new Map(Object.entries(fields[kind]).map(([name, field]) => [inputOf(name, field), field]));

/** Returns the server's name of the field with a name in the form, such as `details.company`. */
export const pathOf = (kind: KindWithFields, input: string): string =>
  Object.entries(fields[kind]).find(([name, field]) => inputOf(name, field) === input)?.[0] ?? input;

/** Returns the server's names of all fields that share a name in the form: attachments are several. */
export const pathsOf = (kind: KindWithFields, input: string): string[] =>
  Object.entries(fields[kind]).flatMap(([name, field]) => (inputOf(name, field) === input ? [name] : []));
