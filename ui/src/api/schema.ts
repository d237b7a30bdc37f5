/**
 * The server's types by the names the application uses; drawn from its document by `npm run gen`, so
 * that a call that changes does not compile here.
 */
import type { components } from "./schema.gen";

type Schemas = components["schemas"];

/** One answer of a list. */
export interface Page<T> {
  items: T[];
  nextCursor?: string;
  total: number;
}
/** What every record bears. */
export type Stamped = Pick<Schemas["Customer"], "id" | "version" | "createdAt" | "updatedAt" | "createdBy">;

export type Status = Schemas["Status"];
export type Role = Schemas["Role"];
export type Permission =
  | `${"customers" | "tasks" | "events" | "pages"}.${"write" | "delete" | "delete_own"}`
  | "team.manage"
  | "settings.company"
  | "audit.read"
  | "messages.send"
  | "notifications.send"
  | "messages.broadcast"
  | "tenant.export"
  | "tenant.own";

export type User = Schemas["User"];
export type UserPatch = Schemas["UserPatch"];
export type SignInInput = Pick<Schemas["SignIn"], "email" | "password"> & Partial<Schemas["SignIn"]>;
export type SignedIn = Schemas["SignedIn"];
export type CompanyChoice = Schemas["Choice"];
export type SignUp = Schemas["SignUp"];
export type SignedUp = Schemas["SignedUp"];
export type Activation = Schemas["ActivateAccount"];
/** What a link from a letter is for. */
export type MailedLink = Schemas["MailedLink"];
/** A passkey as it was shown, and the question that it answers. */
export type PasskeyAnswer = Schemas["PasskeyAnswer"];
export type PasswordChange = Schemas["ChangePassword"];
export type OpenSession = Schemas["Session"];
/** What the sign-in pages can offer here. */
export type SignInOffer = Schemas["VersionSignIn"];

/** What stands beside the person's password, and whether their company asks for it. */
export type Factors = Schemas["Factors"];
export type Passkey = Schemas["Passkey"];
export type PasskeyQuestion = Schemas["PasskeyQuestion"];
export type TotpEnrolment = Schemas["TotpEnrolment"];
export type RecoveryCodes = Schemas["RecoveryCodes"];

export type VersionInfo = Schemas["Version"];
export type Company = Schemas["VersionCompany"];

export type NavigationItem = Schemas["NavigationItem"];
export type Navigation = Schemas["Navigation"];

/** A message or a notification: the same thing under two names. */
export type Notice = Schemas["Notice"];
export type NewSentMessage = Pick<Schemas["NewSentMessage"], "title" | "text"> & Partial<Schemas["NewSentMessage"]>;
/** A message that one sent to people of the company. */
export type SentMessage = Schemas["SentMessage"];
export type NotificationPreferences = Schemas["NotificationPreferences"];
export type Shortcut = Schemas["Shortcut"];
export type NewShortcut = Schemas["NewShortcut"];
export type ResultSet = Schemas["SearchResultSet"];
export type Hit = Schemas["SearchResult"];

export type ChatContact = Schemas["ChatContact"];
export type ChatContactCard = Schemas["ChatContactCard"];
export type ChatMessage = Schemas["ChatMessage"];
export type Chat = Schemas["Chat"];
export type ChatHistory = Schemas["ChatHistory"];
export type ChatAttachment = Schemas["ChatAttachment"];
export type ChatMention = Schemas["ChatMention"];
export type ChatReaction = Schemas["ChatReaction"];
export type ChatReference = Schemas["ChatReference"];
/** What a message is to refer to. */
export type ChatReferenceInput = Schemas["NewChatReference"];
/** Something that was said, as the search finds it. */
export type ChatFound = Schemas["ChatFound"];

export type Attachment = Schemas["Attachment"];
export type Upload = Schemas["File"];
export type Customer = Schemas["Customer"];
export type Subtask = Schemas["Subtask"];
export type Task = Schemas["Task"];
export type CalendarEvent = Schemas["Event"];
export type Occurrence = Schemas["EventOccurrence"];
/** A page; its body comes with the page alone, not in the list. */
export type KnowledgePage = Schemas["PageSummary"] & Partial<Pick<Schemas["Page"], "body">>;
export type Member = Schemas["Member"];
export type FormerMember = Schemas["FormerMember"];
export type Invitation = Schemas["Invitation"];
export type InvitationLink = Schemas["InvitationLink"];
export type MailSettings = Schemas["MailSettings"];
export type TestEmail = Schemas["TestEmail"];
export type AuditEntry = Schemas["AuditEntry"];

export type ProjectDashboard = Schemas["ProjectDashboard"];
export type AnalyticsDashboard = Schemas["AnalyticsDashboard"];
export type CompanySettings = Schemas["CompanySettings"];
export type CompanyPatchInput = Schemas["CompanyPatch"];

/** A record that somebody has open to change. */
export type EditedRecord = Schemas["Edited"];
/** What the server says by the socket; `id` is the place up to which everything has then been heard. */
export type ServerFrame = Schemas["ServerFrame"];
type Said = Schemas["ClientFrame"];
/** What a client says by it. */
export type ClientFrame = { [T in Said["type"]]: { type: T; data: Extract<Said, { type: T }>["data"] } }[Said["type"]];
/** What the call that waits answers. */
export type News = Schemas["News"];
