/**
 * The types of the HTTP contract, by the names the application uses. One place, so that they can be
 * drawn from the generated schema without touching a feature.
 */

export interface Page<T> {
  items: T[];
  nextCursor?: string;
  total: number;
}

export interface Stamped {
  id: string;
  version: number;
  createdAt: string;
  updatedAt: string;
  createdBy?: string;
}

export type Status = "online" | "away" | "busy" | "not-visible";
export type Role = "owner" | "admin" | "member" | "viewer";
export type Permission =
  | `${"customers" | "tasks" | "events" | "pages"}.${"write" | "delete" | "delete_own"}`
  | "team.manage"
  | "settings.company"
  | "audit.read"
  | "messages.broadcast"
  | "tenant.export"
  | "tenant.own";

export interface User {
  id: string;
  name: string;
  email: string;
  avatar?: string | null;
  status: Status;
  role: Role;
  permissions: string[];
  locale: string;
  layout?: string | null;
  scheme?: string | null;
  timezone?: string;
  customer: { id: string; name: string; design: { name: string } };
  personal: { avatar?: string | null; firstname: string };
}
export type UserPatch = Partial<Pick<User, "name" | "avatar" | "status" | "locale" | "layout" | "scheme" | "timezone">>;

export interface SignInInput {
  email: string;
  password: string;
  company?: string;
  rememberMe?: boolean;
}
export interface SignedIn {
  accessToken: string;
  expiresAt: string;
  user: User;
}
export interface CompanyChoice {
  slug: string;
  name: string;
}

export interface Company {
  id?: string;
  name: string;
  logotipo_dark?: string | null;
  logotipo_light?: string | null;
  color_scheme: string;
  layout?: string;
}
export interface VersionInfo {
  company: Company;
  front_version: string;
  server_version: string;
  signup: "open" | "first" | "closed";
  locales: string[];
}

export type NavigationType = "aside" | "basic" | "collapsable" | "divider" | "group" | "spacer";
export interface NavigationItem {
  id: string;
  title?: string;
  subtitle?: string;
  type: NavigationType;
  icon?: string;
  link?: string;
  externalLink?: boolean;
  exactMatch?: boolean;
  badge?: { title: string };
  tooltip?: string;
  hidden?: boolean;
  disabled?: boolean;
  children?: NavigationItem[];
}
export interface Navigation {
  default: NavigationItem[];
  compact: NavigationItem[];
  futuristic: NavigationItem[];
  horizontal: NavigationItem[];
}

/** A message or a notification: the same thing under two names. */
export interface Notice {
  id: string;
  read: boolean;
  seen?: boolean;
  icon?: string;
  image?: string;
  title?: string;
  description?: string;
  time: string;
  link?: string;
  useRouter?: boolean;
}

export interface Shortcut {
  id: string;
  label: string;
  description?: string;
  icon: string;
  link: string;
  useRouter: boolean;
}
export type NewShortcut = Omit<Shortcut, "id">;

export interface ContactHit {
  id: string;
  avatar?: string | null;
  name: string;
  link: string;
  value: string;
  kind?: "customer" | "member";
}
export interface PageHit {
  id?: string;
  title: string;
  link: string;
  value: string;
}
export interface TaskHit {
  id: string;
  title: string;
  completed: boolean;
  link: string;
  value: string;
}
export type ResultSet =
  | { id: "contacts"; label: string; results: ContactHit[] }
  | { id: "pages"; label: string; results: PageHit[] }
  | { id: "tasks"; label: string; results: TaskHit[] };

export interface ChatContact {
  id: string;
  name: string;
  avatar?: string | null;
  background?: string | null;
  about?: string;
  status?: Status;
}
export interface ChatMessage {
  id: string;
  chatId: string;
  contactId: string;
  value: string;
  createdAt: string;
  isMine: boolean;
  clientId?: string;
}
export interface Chat {
  id: string;
  contactId: string;
  unreadCount: number;
  muted: boolean;
  lastMessage?: string;
  lastMessageAt?: string;
  contact: { id?: string; name: string; avatar?: string | null; status?: Status };
  messages?: ChatMessage[];
}
export interface ChatHistory {
  items: ChatMessage[];
  more: boolean;
}

export interface EmailEntry {
  email: string;
  label?: string;
}
export interface PhoneEntry {
  country?: string;
  phoneNumber: string;
  label?: string;
}
export interface Attachment {
  id?: string;
  url: string;
  name?: string;
  size?: number;
  type?: string;
}
export interface Customer extends Stamped {
  name: string;
  avatar?: string;
  background?: string;
  about?: string;
  status: "lead" | "active" | "inactive";
  tags: string[];
  ownerId?: string;
  notes?: string;
  details: {
    emails: EmailEntry[];
    phoneNumbers: PhoneEntry[];
    title?: string;
    company?: string;
    birthday?: string;
    address?: string;
  };
  attachments: { media: Attachment[]; docs: Attachment[]; links: Attachment[] };
}

export interface Subtask {
  id: string;
  title: string;
  completed: boolean;
}
export interface Task extends Stamped {
  type: "task" | "section";
  title: string;
  notes?: string;
  completed: boolean;
  completedAt?: string;
  priority: 0 | 1 | 2;
  dueDate?: string;
  assigneeId?: string;
  customerId?: string;
  tags: string[];
  order: number;
  subtasks: Subtask[];
}

export interface CalendarEvent extends Stamped {
  title: string;
  description?: string;
  location?: string;
  calendarId?: string;
  color?: string;
  allDay: boolean;
  start?: string;
  end?: string;
  timezone?: string;
  startDate?: string;
  endDate?: string;
  recurrence?: string;
  attendees: ({ memberId: string } | { customerId: string })[];
  reminders: number[];
}
export interface Occurrence extends Omit<CalendarEvent, "id"> {
  eventId: string;
  occurrence: string;
}

export interface KnowledgePage extends Stamped {
  title: string;
  icon?: string;
  parentId?: string;
  order: number;
  status: "draft" | "published";
  body?: string;
}

export interface Member extends Stamped {
  name: string;
  email: string;
  avatar?: string;
  role: Role;
  state: "invited" | "unconfirmed" | "active" | "suspended";
  title?: string;
  phone?: string;
  about?: string;
  lastSeenAt?: string;
  presence?: Status | "offline";
}

export interface ProjectDashboard {
  tasks: {
    dueToday: number;
    dueYesterday: number;
    overdue: number;
    overdueLastWeek: number;
    doneThisWeek: number;
    doneLastWeek: number;
    open: number;
    openLastWeek: number;
  };
  flow: { date: string; created: number; completed: number }[];
  today: { events: number; tasks: number };
  upcoming: {
    eventId: string;
    title: string;
    color?: string;
    location?: string;
    allDay: boolean;
    start?: string;
    end?: string;
    startDate?: string;
    endDate?: string;
  }[];
  workload: { memberId: string; name: string; avatar?: string | null; open: number }[];
  activity: {
    id: string;
    at: string;
    actor: { id: string; name: string; avatar?: string | null };
    kind: "task" | "customer" | "event" | "page" | "member";
    recordId: string;
    title: string;
    op: "created" | "updated" | "completed" | "removed";
    link?: string;
  }[];
}
export interface AnalyticsDashboard {
  customers: {
    total: number;
    series: { date: string; total: number }[];
    byStatus: { status: Customer["status"]; count: number }[];
    byTag: { tag: string; count: number }[];
  };
  weeks: { week: string; events: number; tasks: number }[];
  activity: { weekday: number; hour: number; count: number }[];
}

export interface CompanySettings {
  name: string;
  color_scheme: string;
  layout: string;
  locale: string;
  timezone: string;
  domains: string[];
}
export interface Upload {
  id: string;
  url: string;
  name: string;
  size: number;
  type: string;
}
