//! The frames of the socket: the one description of what is said over it, from which the API document, the
//! interface's types and `docs/socket.md` are made.

use poem_openapi::{Enum, Object, Union};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    access::{SessionEndReason, members::Status},
    features::{
        chat::{ChatMessage, ChatView, Conversation, MessageView},
        notices::{Item, View as Notice},
    },
    kernel::{Id, MemberId},
    store::Op,
};

/// Declares the frames of one direction: for each its structure, and their union by `type`.
macro_rules! frames {
    ($way:ident; $(#[$union_doc:meta])* $union:ident $words:ident; id: $id:ty, $id_doc:tt; $(
        $(#[$doc:meta])* $variant:ident($frame:ident, $data:ty) = $word:tt;
    )*) => {
        $(
            $(#[$doc])*
            #[derive(Debug, $way, Object)]
            pub struct $frame {
                #[doc = $id_doc]
                #[serde(default)]
                pub id: $id,
                /// What it says.
                pub data: $data,
            }
        )*

        $(#[$union_doc])*
        #[derive(Debug, $way, Union)]
        #[oai(discriminator_name = "type", one_of)]
        #[serde(tag = "type")]
        pub enum $union {
            $($(#[$doc])* #[oai(mapping = $word)] #[serde(rename = $word)] $variant($frame),)*
        }

        /// The `type` of each.
        pub const $words: &[&str] = &[$($word,)*];
    };
}

frames! {
    Serialize;
    /// What the server says.
    ServerFrame SERVER_FRAMES;
    id: u64, "The place in the ledger up to which its hearer has then heard everything.";
    /// The first frame: who hears, and from where on. When `resumed` is false although `after` was given, more
    /// was missed than is remembered: everything is to be read anew.
    Hello(HelloFrame, Hello) = "hello";
    /// A message came.
    MessageCreated(MessageCreatedFrame, NoticeChanged) = "message.created";
    /// A message was changed, read, or put back.
    MessageUpdated(MessageUpdatedFrame, NoticeChanged) = "message.updated";
    /// A message was removed.
    MessageRemoved(MessageRemovedFrame, NoticeRemoved) = "message.removed";
    /// A notification came.
    NotificationCreated(NotificationCreatedFrame, NoticeChanged) = "notification.created";
    /// A notification was changed, renewed, read, or put back.
    NotificationUpdated(NotificationUpdatedFrame, NoticeChanged) = "notification.updated";
    /// A notification was removed.
    NotificationRemoved(NotificationRemovedFrame, NoticeRemoved) = "notification.removed";
    /// Something was said in a conversation of the member's, or something said there was changed: the client puts
    /// the message into its place by its id.
    ChatMessage(ChatMessageFrame, ChatSaid) = "chat.message";
    /// A conversation is another to the member now: begun, renamed, muted, read, with other people in it.
    ChatChanged(ChatChangedFrame, ChatChanged) = "chat.changed";
    /// The member is no longer in a conversation.
    ChatLeft(ChatLeftFrame, ChatLeft) = "chat.left";
    /// Somebody has read a conversation up to a message.
    ChatRead(ChatReadFrame, ChatRead) = "chat.read";
    /// Somebody is writing in a conversation; it holds for six seconds.
    ChatTyping(ChatTypingFrame, ChatTyping) = "chat.typing";
    /// A member is there now, or idle, or gone.
    Presence(PresenceFrame, Presence) = "presence";
    /// Everybody who is there: after `hello`, and whenever single ones were missed.
    PresenceAll(PresenceAllFrame, PresenceAll) = "presence.all";
    /// A record was made, changed or removed: what shows it is to be read anew.
    RecordChanged(RecordChangedFrame, RecordChanged) = "record.changed";
    /// Who edits a record just now; to everybody who said that they do.
    RecordEditors(RecordEditorsFrame, RecordEditors) = "record.editors";
    /// The session is over or locked: the socket closes.
    SessionEnded(SessionEndedFrame, SessionEnded) = "session.ended";
    /// More happened than can be told one by one: everything is to be read anew.
    Resync(ResyncFrame, Nothing) = "resync";
}

frames! {
    Deserialize;
    /// What a client says, 20 frames a second at most.
    ClientFrame CLIENT_FRAMES;
    id: Option<u64>, "Left aside.";
    /// The member is writing in a conversation; to be said again every few seconds while they are.
    Typing(TypingFrame, Typing) = "typing";
    /// Whether the member has done nothing at this device for five minutes.
    Activity(ActivityFrame, Activity) = "activity";
    /// What the member edits at this device: all of it, each time, 20 records at most.
    Editing(EditingFrame, Editing) = "editing";
}

/// Who hears, and from where on.
#[derive(Debug, Serialize, Object)]
#[oai(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct Hello {
    /// The session.
    pub session_id: Uuid,
    /// The member.
    pub member_id: MemberId,
    /// The place in the ledger from which on news are told.
    pub at: u64,
    /// Whether nothing was missed since `after`.
    pub resumed: bool,
}

/// A message or notification as it is now.
#[derive(Debug, Serialize, Object)]
pub struct NoticeChanged {
    /// The item.
    pub item: Notice,
    /// How many are not read: the whole number.
    pub unread: u64,
}

/// A message or notification that is gone.
#[derive(Debug, Serialize, Object)]
#[oai(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct NoticeRemoved {
    /// The item.
    pub item_id: Id<Item>,
    /// How many are not read: the whole number.
    pub unread: u64,
}

/// A message of a conversation.
#[derive(Debug, Serialize, Object)]
#[oai(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ChatSaid {
    /// The conversation.
    pub chat_id: Id<Conversation>,
    /// The message, as the calls give it to this member.
    pub message: MessageView,
}

/// A conversation as the member has it now.
#[derive(Debug, Serialize, Object)]
pub struct ChatChanged {
    /// The conversation without its messages.
    pub chat: ChatView,
    /// Messages not read, in all conversations.
    pub unread: u64,
}

/// A conversation.
#[derive(Debug, Serialize, Object)]
#[oai(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ChatLeft {
    /// The conversation.
    pub chat_id: Id<Conversation>,
}

/// Up to where somebody has read.
#[derive(Debug, Serialize, Object)]
#[oai(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ChatRead {
    /// The conversation.
    pub chat_id: Id<Conversation>,
    /// Who.
    pub member_id: MemberId,
    /// The last message that they have read.
    pub message_id: Id<ChatMessage>,
}

/// Who is writing where.
#[derive(Debug, Serialize, Object)]
#[oai(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ChatTyping {
    /// The conversation.
    pub chat_id: Id<Conversation>,
    /// Who.
    pub member_id: MemberId,
}

/// How a member's being there looks to the others.
#[derive(Debug, Serialize, Object)]
#[oai(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct Presence {
    /// Who.
    pub member_id: MemberId,
    /// How.
    pub status: Status,
}

/// Everybody who is there; who is not named is `not-visible`.
#[derive(Debug, Serialize, Object)]
pub struct PresenceAll {
    /// They.
    pub members: Vec<Presence>,
}

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Enum)]
#[oai(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum RecordOp {
    /// The record was made.
    Created,
    /// It was changed.
    Updated,
    /// It was removed.
    Removed,
}

impl From<Op> for RecordOp {
    fn from(op: Op) -> Self {
        match op {
            Op::Created => Self::Created,
            Op::Updated => Self::Updated,
            Op::Removed => Self::Removed,
        }
    }
}

/// Something that changed.
#[derive(Debug, Serialize, Object)]
#[oai(rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct RecordChanged {
    /// The record's kind: `task`, `customer`, `member`, ...
    pub kind: String,
    /// Which.
    pub record_id: Uuid,
    /// Its version after it.
    pub version: u64,
    /// What was done.
    pub op: RecordOp,
    /// Who did it; absent when it was no member.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub member_id: Option<MemberId>,
}

/// Who edits a record.
#[derive(Debug, Serialize, Object)]
#[oai(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct RecordEditors {
    /// The record's kind.
    pub kind: String,
    /// Which.
    pub record_id: Uuid,
    /// All who do, in the order in which they began.
    pub member_ids: Vec<MemberId>,
}

/// Why nothing more is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Enum)]
#[oai(rename = "SessionEndReason", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The session was ended from elsewhere, or its time is over.
    Ended,
    /// It is locked until its member shows who they are.
    Locked,
    /// Its member signed out.
    SignedOut,
    /// Its member may not come in any more.
    Suspended,
    /// The company asks for a second factor that the member has not set up.
    SecondFactorRequired,
}

impl From<SessionEndReason> for Reason {
    fn from(parting: SessionEndReason) -> Self {
        match parting {
            SessionEndReason::Ended => Self::Ended,
            SessionEndReason::Locked => Self::Locked,
            SessionEndReason::SignedOut => Self::SignedOut,
            SessionEndReason::Suspended => Self::Suspended,
            SessionEndReason::SecondFactorRequired => Self::SecondFactorRequired,
        }
    }
}

/// Why the socket closes.
#[derive(Debug, Serialize, Object)]
pub struct SessionEnded {
    /// The reason.
    pub reason: Reason,
}

/// Nothing further.
#[derive(Debug, Default, Serialize, Object)]
#[oai(rename = "ResyncData")]
pub struct Nothing {}

/// In which conversation the member is writing.
#[derive(Debug, Deserialize, Object)]
#[oai(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct Typing {
    /// The conversation.
    pub chat_id: String,
}

/// Whether somebody is at the device.
#[derive(Debug, Deserialize, Object)]
#[oai(rename = "DeviceActivity")]
pub struct Activity {
    /// Whether nothing was done there for five minutes.
    pub idle: bool,
}

/// A record that is edited.
#[derive(Debug, Deserialize, Object)]
#[oai(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct Edited {
    /// Its kind.
    pub kind: String,
    /// Which.
    pub record_id: Uuid,
}

/// All that is edited at the device.
#[derive(Debug, Deserialize, Object)]
pub struct Editing {
    /// The records.
    pub records: Vec<Edited>,
}
