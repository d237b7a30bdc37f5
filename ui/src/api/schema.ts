/**
 * The server's types under the names that the application uses. `npm run gen` generates them from the API document, so
 * that a changed call does not compile here.
 */
import type { components, operations, paths } from "./schema.gen";

type Schemas = components["schemas"];

/** The paths of the API that have a method. */
export type PathOf<M extends "get" | "post" | "put" | "patch" | "delete"> = {
  [P in keyof paths]: paths[P][M] extends { responses: unknown } ? P : never;
}[keyof paths];

type Query<O extends keyof operations> = Input<NonNullable<operations[O]["parameters"]["query"]>>;

/**
 * What a caller may write: an optional member may be undefined, and one that may be null may be left out. The generator
 * marks members with a default as required, which is right in responses only; in inputs, these are those that may be null.
 */
export type Input<T> = T extends readonly (infer I)[]
  ? Input<I>[]
  : T extends object
    ? [DefaultedKey<T>] extends [never]
      ? Members<T>
      : Members<Omit<T, DefaultedKey<T>>> & Members<Partial<Pick<T, DefaultedKey<T>>>>
    : T;
type Members<T> = { [K in keyof T]: Input<T[K]> | (IsOptional<T, K> extends true ? undefined : never) };
type IsOptional<T, K extends keyof T> = Record<string, never> extends Pick<T, K> ? true : false;
type DefaultedKey<T> = {
  [K in keyof T]-?: IsOptional<T, K> extends true ? never : unknown extends T[K] ? never : null extends T[K] ? K : never;
}[keyof T];

/** One page of a list. */
export type List<T> = Omit<Schemas["List_Task"], "items"> & { items: T[] };
/** What the list of every kind of record can be asked for. */
export type ListRequest = Pick<Query<"listCustomers">, "q" | "filter" | "sort" | "cursor">;
/** The fields that every record has. */
export type Stamped = Pick<Schemas["Customer"], "id" | "version" | "createdAt" | "updatedAt" | "createdBy">;

/** The `error` of a response outside 200 to 299. */
export type Problem = Schemas["ProblemDetail"];
/** The member whose session is locked. */
export type LockedMember = Schemas["Locked"];

export type Status = Schemas["Status"];
export type Role = Schemas["Role"];
/** The members of `User.permissions`, which the API document describes as texts. */
export type Permission =
  | `${"customers" | "organizations" | "deals" | "tasks" | "events" | "pages"}.${"read" | "write" | "delete" | "delete_own"}`
  | "comments.write"
  | "comments.delete"
  | "bin.empty"
  | "fields.manage"
  | "views.manage"
  | "team.manage"
  | "settings.company"
  | "audit.read"
  | "messages.send"
  | "notifications.send"
  | "messages.broadcast"
  | "tenant.export"
  | "tenant.own";

export type User = Schemas["User"];
export type UserPatch = Input<Schemas["UserPatch"]>;
export type SignInInput = Input<Schemas["SignIn"]>;
export type UnlockInput = Input<Schemas["UnlockSession"]>;
export type SignedIn = Schemas["SignedIn"];
export type CompanyChoice = Schemas["Choice"];
export type SignUp = Input<Schemas["SignUp"]>;
export type Activation = Input<Schemas["ActivateAccount"]>;
/** The purpose of a link from an e-mail. */
export type MailedLink = Schemas["MailedLink"];
/** A passkey's response, with the challenge that it answers. */
export type PasskeyAnswer = Schemas["PasskeyAnswer"];
export type PasswordChange = Schemas["ChangePassword"];
export type EmailChange = Schemas["ChangeEmail"];
export type OpenSession = Schemas["Session"];
/** The sign-in methods of this installation. */
export type SignInOffer = Schemas["VersionSignIn"];

/** The member's second factors, and whether the company requires one. */
export type Factors = Schemas["Factors"];
export type Passkey = Schemas["Passkey"];
export type TotpEnrolment = Schemas["TotpEnrolment"];
export type RecoveryCodes = Schemas["RecoveryCodes"];

export type VersionInfo = Schemas["Version"];
export type Company = Schemas["VersionCompany"];

export type NavigationItem = Schemas["NavigationItem"];
export type Navigation = Schemas["Navigation"];

/** A message or a notification: the same type under two names. */
export type Notice = Schemas["Notice"];
export type NoticeBatchAction = Schemas["NoticeAction"];
export type NewSentMessage = Input<Schemas["NewSentMessage"]>;
/** A message that the member sent to colleagues. */
export type SentMessage = Schemas["SentMessage"];
export type NotificationPreferences = Schemas["NotificationPreferences"];
export type NotificationPreferencesPatch = Input<Schemas["NotificationPreferencesPatch"]>;
export type Shortcut = Schemas["Shortcut"];
export type NewShortcut = Input<Schemas["NewShortcut"]>;
export type ResultSet = Schemas["SearchResultSet"];
export type Hit = Schemas["SearchResult"];
export type CompanyHealth = Schemas["CompanyHealth"];
export type BinnedRecord = Schemas["BinnedRecord"];
export type RecordKind = Schemas["RecordKind"];
export type Timeline = Schemas["Timeline"];
export type TimelineEntry = Schemas["TimelineEntry"];
export type TimelinePart = Schemas["TimelinePart"];
export type FieldChange = Schemas["FieldChange"];
export type CustomField = Schemas["CustomField"];
export type CustomFieldType = Schemas["CustomFieldType"];
export type NewCustomField = Input<Schemas["NewCustomField"]>;
export type CustomFieldPatch = Input<Schemas["CustomFieldPatch"]>;
export type BulkChange = Schemas["BulkChange"];
export type NewBulkChange = Input<Schemas["NewBulkChange"]>;
/** An import of records from a file. */
export type RecordImport = Schemas["Import"];
export type Setup = Schemas["Setup"];
export type SetupStepName = Schemas["SetupStepName"];
/** An import with how its file is read. */
export type ImportPlan = Schemas["ImportWithPlan"];
export type ImportPatch = Input<Schemas["ImportPatch"]>;
export type ImportColumn = Schemas["ImportColumn"];
export type ImportField = Schemas["ImportField"];
export type ImportCounts = Schemas["ImportCounts"];
export type ImportPreviewRow = Schemas["ImportPreviewRow"];
export type SavedView = Schemas["SavedView"];
export type ViewState = Pick<SavedView, "filters" | "q" | "sort" | "columns">;
export type NewView = Input<Schemas["NewSavedView"]>;
export type ViewPatch = Input<Schemas["SavedViewPatch"]>;
/** The values of custom fields, by key. */
export type FieldValues = Schemas["FieldValues"];
export type Comment = Schemas["Comment"];
export type RecordFile = Schemas["RecordFile"];
export type RecordLink = Schemas["RecordLink"];
export type NewComment = Input<Schemas["NewComment"]>;
/** A call, visit, e-mail or note that a member logged. */
export type Activity = Schemas["Activity"];
export type ActivityType = Schemas["ActivityType"];
export type NewActivity = Input<Schemas["NewActivity"]>;
export type ActivityPatch = Input<Schemas["ActivityPatch"]>;
/** The open task of a record that is due first. */
export type NextStep = Schemas["NextStep"];

export type ChatContact = Schemas["ChatContact"];
export type ChatContactCard = Schemas["ChatContactCard"];
export type ChatMessage = Schemas["ChatMessage"];
export type Chat = Schemas["Chat"];
/** What a member changes in a conversation of their own. */
export type ChatPatch = Pick<Schemas["ChatPatch"], "muted" | "unreadCount">;
export type NewChatGroup = Schemas["CreateChatGroup"];
export type ChatGroupPatch = Input<Schemas["ChangeChatGroup"]>;
export type ChatMessageFilter = Query<"listChatMessages">;
export type ChatMessagePatch = Input<Schemas["EditChatMessage"]>;
export type AttachedFile = Schemas["AttachedFile"];
export type Mention = Schemas["Mention"];
export type Reaction = Schemas["Reaction"];
export type RecordReference = Schemas["RecordReference"];
/** A record that a chat message refers to. */
export type RecordReferenceInput = Schemas["NewRecordReference"];
/** A chat message found by the search. */
export type ChatFound = Schemas["ChatFound"];

export type Attachment = Schemas["Attachment"];
export type Upload = Schemas["File"];
export type Customer = Schemas["Customer"];
export type NewCustomer = Input<Schemas["NewCustomer"]>;
export type CustomerPatch = Input<Schemas["CustomerPatch"]>;
export type Companies = Schemas["Companies"];
export type Organization = Schemas["Organization"];
export type NewOrganization = Input<Schemas["NewOrganization"]>;
export type OrganizationPatch = Input<Schemas["OrganizationPatch"]>;
export type Deal = Schemas["Deal"];
export type NewDeal = Input<Schemas["NewDeal"]>;
export type DealPatch = Input<Schemas["DealPatch"]>;
/** The stages of deals, and the reasons why they are won or lost. */
/** The statuses of the company's customers. */
export type CustomerStatuses = Schemas["CustomerStatuses"];
export type CustomerStatus = Schemas["CustomerStatus"];
export type CustomerStatusesPatch = Input<Schemas["CustomerStatusesPatch"]>;
export type Tag = Schemas["Tag"];
export type TagChange = Schemas["TagChange"];
export type Pipeline = Schemas["Pipeline"];
export type PipelinePatch = Input<Schemas["PipelinePatch"]>;
export type DealForecast = Schemas["DealForecast"];
export type DealAmounts = Schemas["DealAmounts"];
export type Subtask = Schemas["Subtask"];
export type ColumnSums = Schemas["ColumnSums"];
export type Task = Schemas["Task"];
export type TaskFilter = Query<"listTasks">;
export type NewTask = Input<Schemas["NewTask"]>;
export type TaskPatch = Input<Schemas["TaskPatch"]>;
export type CalendarEvent = Schemas["Event"];
export type NewEvent = Input<Schemas["NewEvent"]>;
export type EventPatch = Input<Schemas["EventPatch"]>;
/** The occurrences that a change applies to. */
export type EventScope = Schemas["EventScope"];
export type Occurrence = Schemas["EventOccurrence"];
export type OccurrencePage = Schemas["EventOccurrences"];
/** A page; only a single page has its body, a list does not. */
export type KnowledgePage = Schemas["PageSummary"] & Partial<Pick<Schemas["Page"], "body">>;
/** Who can see a record. */
export type Visibility = Schemas["Visibility"];
export type NewPage = Input<Schemas["NewPage"]>;
export type PagePatch = Input<Schemas["PagePatch"]>;

/** The kinds of records that members create: a record as the server returns it, and what creates and changes one. */
export interface RecordTypes {
  customer: { record: Customer; input: NewCustomer & CustomerPatch };
  organization: { record: Organization; input: NewOrganization & OrganizationPatch };
  deal: { record: Deal; input: NewDeal & DealPatch };
  task: { record: Task; input: NewTask & TaskPatch };
  event: { record: CalendarEvent; input: NewEvent & EventPatch };
  page: { record: KnowledgePage; input: NewPage & PagePatch };
}
/** A record of a kind. */
export type RecordOf<K extends keyof RecordTypes> = RecordTypes[K]["record"];
/** The body of the calls that create and change a record of a kind. */
export type InputOf<K extends keyof RecordTypes> = RecordTypes[K]["input"];

export type Member = Schemas["Member"];
export type MemberFilter = Query<"listMembers">;
export type NewMember = Input<Schemas["NewMember"]>;
export type MemberPatch = Input<Schemas["MemberPatch"]>;
export type Invitee = Schemas["Invitee"];
export type NewInvitations = Input<Schemas["NewInvitations"]>;
export type Invitation = Schemas["Invitation"];
export type AuditEntry = Schemas["AuditEntry"];
export type AuditFilter = Query<"listAuditEntries">;

export type ProjectDashboard = Schemas["ProjectDashboard"];
export type AnalyticsDashboard = Schemas["AnalyticsDashboard"];
export type CompanySettings = Schemas["CompanySettings"];
export type RegionChoice = Schemas["RegionChoice"];
export type RegionPatch = Input<Schemas["RegionPatch"]>;
export type HandOver = Schemas["HandOver"];
export type CloseCompany = Schemas["CloseCompany"];
export type CompanyPatch = Input<Schemas["CompanyPatch"]>;
/** The company's single sign-on provider, and the providers that the operator allows. */
export type SignOn = Schemas["SingleSignOn"];
export type SignOnInput = Input<Schemas["SignOnProviderInput"]>;

/** A record that a member is editing. */
export type EditedRecord = Schemas["Edited"];
/** A frame from the server; `id` is the sequence number up to which all changes have then been delivered. */
export type ServerFrame = Schemas["ServerFrame"];
type Said = Schemas["ClientFrame"];
/** A frame from the client. */
export type ClientFrame = { [T in Said["type"]]: { type: T; data: Extract<Said, { type: T }>["data"] } }[Said["type"]];
/** The response of the long-polling call. */
export type News = Schemas["News"];
/** A record that may be a duplicate of another one; the score is 45 to 100. */
export type Duplicate = Schemas["Duplicate"];
export type DuplicateReason = Schemas["DuplicateReason"];
export type DuplicateQuery = Input<Schemas["DuplicateQuery"]>;
/** Two records that may be the same. */
export type DuplicatePair = Schemas["DuplicatePair"];
/** The search for duplicates in all records of a kind. */
export type DuplicateScan = Schemas["DuplicateScan"];
/** Two records that became one. */
export type Merge = Schemas["Merge"];
export type NewMerge = Input<Schemas["NewMerge"]>;
/** What a merge does with a field of the record that is kept. */
export type MergeChoice = Schemas["MergeChoice"];
