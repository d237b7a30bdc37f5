/**
 * The server's types under the names that the application uses. `npm run gen` generates them from the API document, so
 * that a changed call does not compile here.
 */
import type { components } from "./schema.gen";

type Schemas = components["schemas"];

/** One page of a list. */
export interface Page<T> {
  items: T[];
  nextCursor?: string;
  total: number;
}
/** The fields that every record has. */
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
/** The purpose of a link from an e-mail. */
export type MailedLink = Schemas["MailedLink"];
/** A passkey's response, with the challenge that it answers. */
export type PasskeyAnswer = Schemas["PasskeyAnswer"];
export type PasswordChange = Schemas["ChangePassword"];
export type OpenSession = Schemas["Session"];
/** The sign-in methods of this installation. */
export type SignInOffer = Schemas["VersionSignIn"];

/** The member's second factors, and whether the company requires one. */
export type Factors = Schemas["Factors"];
export type Passkey = Schemas["Passkey"];
export type PasskeyQuestion = Schemas["PasskeyQuestion"];
export type TotpEnrolment = Schemas["TotpEnrolment"];
export type RecoveryCodes = Schemas["RecoveryCodes"];

export type VersionInfo = Schemas["Version"];
export type Company = Schemas["VersionCompany"];

export type NavigationItem = Schemas["NavigationItem"];
export type Navigation = Schemas["Navigation"];

/** A message or a notification: the same type under two names. */
export type Notice = Schemas["Notice"];
export type NewSentMessage = Pick<Schemas["NewSentMessage"], "title" | "text"> & Partial<Schemas["NewSentMessage"]>;
/** A message that the member sent to colleagues. */
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
/** A record that a chat message refers to. */
export type ChatReferenceInput = Schemas["NewChatReference"];
/** A chat message found by the search. */
export type ChatFound = Schemas["ChatFound"];

export type Attachment = Schemas["Attachment"];
export type Upload = Schemas["File"];
export type Customer = Schemas["Customer"];
export type Subtask = Schemas["Subtask"];
export type Task = Schemas["Task"];
export type CalendarEvent = Schemas["Event"];
export type Occurrence = Schemas["EventOccurrence"];
/** A page; only a single page has its body, a list does not. */
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

/** A record that a member is editing. */
export type EditedRecord = Schemas["Edited"];
/** A frame from the server; `id` is the sequence number up to which all changes have then been delivered. */
export type ServerFrame = Schemas["ServerFrame"];
type Said = Schemas["ClientFrame"];
/** A frame from the client. */
export type ClientFrame = { [T in Said["type"]]: { type: T; data: Extract<Said, { type: T }>["data"] } }[Said["type"]];
/** The response of the long-polling call. */
export type News = Schemas["News"];
