import type { QueryKey } from "@tanstack/react-query";
import {
  Building2,
  CalendarDays,
  CalendarPlus,
  CircleCheck,
  FilePlus2,
  FileText,
  Handshake,
  ListPlus,
  type LucideIcon,
  SquareUser,
  UserPlus,
  UserRound,
} from "lucide-react";
import type { RecordKind } from "@/api/schema";

/** The state of a navigation from a list to a record or form beside it, which closing goes back on. */
export const openedState = "opened";

/** The state of a navigation that asks a screen to create a record, where no address may do so. */
export const createState = { create: true };

/** What the interface needs to know about a kind of record. */
export interface KindInfo {
  /** The name of its calls, texts (`navigation.…`), rights (`….write`) and query keys. */
  name: "customers" | "deals" | "events" | "organizations" | "pages" | "tasks" | "team";
  /** The path of its list, where it is not that of the name. */
  path?: `/${string}`;
  icon: LucideIcon;
  /** The path of the call that lists its records, where it is not that of the name. */
  listPath?: "/api/events/records";
  /** Whether its records have a picture, shown as initials where one has none. */
  hasPicture?: true;
  /** Queries besides its own that show its records. */
  shownIn: QueryKey[];
  /** How a record is created from everywhere; absent if it is created only on its own screen. */
  create?: { path: string; icon: LucideIcon; state?: typeof createState };
}

const kinds = {
  customer: {
    name: "customers",
    icon: SquareUser,
    hasPicture: true,
    shownIn: [["dashboards"], ["files"], ["setup"], ["duplicates"], ["deals"]],
    create: { path: "/customers/new", icon: UserPlus },
  },
  organization: {
    name: "organizations",
    path: "/customers/organizations",
    icon: Building2,
    hasPicture: true,
    shownIn: [["files"], ["customers"], ["setup"], ["duplicates"], ["deals"]],
    create: { path: "/customers/organizations/new", icon: Building2 },
  },
  deal: {
    name: "deals",
    path: "/customers/deals",
    icon: Handshake,
    shownIn: [["dashboards"], ["files"], ["setup"]],
    create: { path: "/customers/deals/new", icon: Handshake },
  },
  task: {
    name: "tasks",
    icon: CircleCheck,
    shownIn: [["dashboards"], ["navigation"], ["setup"]],
    create: { path: "/tasks/new", icon: ListPlus },
  },
  event: {
    name: "events",
    icon: CalendarDays,
    listPath: "/api/events/records",
    shownIn: [["dashboards"], ["navigation"]],
    create: { path: "/events/new", icon: CalendarPlus },
  },
  page: { name: "pages", icon: FileText, shownIn: [["dashboards"]], create: { path: "/pages", icon: FilePlus2, state: createState } },
  member: { name: "team", icon: UserRound, shownIn: [["chats"], ["chat"], ["chat-contacts"], ["dashboards"], ["setup"]] },
} as const satisfies Record<RecordKind, KindInfo>;

/** All kinds of records that members work with. */
export const recordKinds: Record<RecordKind, KindInfo> & typeof kinds = kinds;

/** Returns the path of the list of a kind; that of a record has its id behind it. */
export const pathOfKind = (kind: RecordKind): string => recordKinds[kind].path ?? `/${recordKinds[kind].name}`;

/** Returns the kind whose calls have a name, such as `customers`. */
export const kindAt = (name: string | undefined): CreatedKind | undefined => createdKinds.find((one) => one.name === name)?.kind;

/** Returns the keys of the queries that hold records of a kind. Timelines and links name other records than theirs. */
export const queryKeysOf = (kind: RecordKind): QueryKey[] => [
  [recordKinds[kind].name],
  ["timeline"],
  ["links"],
  ...recordKinds[kind].shownIn,
];

/** A kind whose records members create from any screen. */
export type CreatedKind = { [K in RecordKind]: (typeof kinds)[K] extends { create: object } ? K : never }[RecordKind];

/** The kinds whose records members create from any screen, in the order of the lists that offer them. */
export const createdKinds = (Object.keys(kinds) as RecordKind[])
  .filter((kind): kind is CreatedKind => "create" in kinds[kind])
  .map((kind) => ({ kind, ...kinds[kind] }));

/** The kinds whose records are imported from files. */
export const importedKinds = ["customer", "organization", "deal", "task"] as const satisfies CreatedKind[];
export type ImportedKind = (typeof importedKinds)[number];

/** Returns the address of the screen that imports records of a kind; undefined for kinds that are not imported. */
export function importPath(kind: RecordKind): string | undefined {
  const found = importedKinds.find((one) => one === kind);
  return found && `/imports/new?kind=${recordKinds[found].name}`;
}

/** The kinds whose duplicates are found and merged. */
export const mergedKinds = ["customer", "organization"] as const satisfies CreatedKind[];
export type MergedKind = (typeof mergedKinds)[number];

/** Returns a kind as one whose duplicates are found; undefined for the others. */
export const asMerged = (kind: RecordKind): MergedKind | undefined => mergedKinds.find((one) => one === kind);

/** Returns the address of the screen of all duplicates of a kind. */
export const duplicatesPath = (kind: MergedKind) => `/customers/duplicates${kind === "customer" ? "" : `?kind=${recordKinds[kind].name}`}`;
