import {
  AtSign,
  BellRing,
  CalendarCog,
  CalendarPlus,
  ClipboardList,
  Clock3,
  MessageCircle,
  MessageSquareText,
  ShieldCheck,
  UserPlus,
  UserX,
} from "lucide-react";
import type { NotificationPreferences, Permission } from "@/api/schema";

export type Kinds = NotificationPreferences["kinds"];
export type Kind = keyof Kinds;

/** The kinds of notifications, by topic. */
export const topics = {
  tasks: ["task_assigned", "task_due"],
  events: ["event_invited", "event_changed", "event_reminder"],
  people: ["comment", "mention", "chat", "member_joined", "retention"],
  account: ["security"],
} as const satisfies Record<string, readonly Kind[]>;

export const icons = {
  task_assigned: ClipboardList,
  task_due: Clock3,
  event_invited: CalendarPlus,
  event_changed: CalendarCog,
  event_reminder: BellRing,
  comment: MessageSquareText,
  mention: AtSign,
  chat: MessageCircle,
  member_joined: UserPlus,
  retention: UserX,
  security: ShieldCheck,
};

/** The rights that members need for notifications of some kinds. */
export const rights: Partial<Record<Kind, Permission>> = { retention: "bin.empty" };

/** The channels of notifications. */
export const ways = ["app", "mail"] as const;
export type Way = (typeof ways)[number];

/** Notifications about the member's account are always shown in the application. */
export const isFixed = (kind: Kind, way: Way) => kind === "security" && way === "app";
