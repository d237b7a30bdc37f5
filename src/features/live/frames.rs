//! Frame types of the socket protocol: the one definition from which the API document, the interface's types and
//! `docs/socket.md` are generated.

use poem_openapi::{Enum, Object, Union};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use uuid::Uuid;

use crate::{
    access::SessionEndReason,
    features::{
        chat::{ChatMessage, ChatView, Conversation, MessageView},
        notices::{Item, View as Notice},
    },
    kernel::{Id, MemberId},
    people::members::Status,
    store::Op,
};

/// Declares the frames of one direction: a structure for each, and their union by `type`.
macro_rules! frames {
    ($direction:ident; $(#[$union_doc:meta])* $union:ident $types:ident; id: $id:ty, $id_doc:tt; $(
        $(#[$doc:meta])* $variant:ident($frame:ident, $data:ty) = $type:tt;
    )*) => {
        $(
            $(#[$doc])*
            #[derive(Debug, $direction, Object)]
            pub struct $frame {
                #[doc = $id_doc]
                #[serde(default)]
                pub id: $id,
                /// The payload.
                pub data: $data,
            }
        )*

        $(#[$union_doc])*
        #[derive(Debug, $direction, Union)]
        #[oai(discriminator_name = "type", one_of)]
        #[serde(tag = "type")]
        pub enum $union {
            $($(#[$doc])* #[oai(mapping = $type)] #[serde(rename = $type)] $variant($frame),)*
        }

        /// The `type` of each frame.
        pub const $types: &[&str] = &[$($type,)*];
    };
}

frames! {
    Serialize;
    // Transient ones, such as `presence`, are also listed in `ui/src/api/realtime/tab-messages.ts`.
    /// A frame from the server.
    ServerFrame SERVER_FRAMES;
    id: u64, "The sequence number up to which the client has received all changes.";
    /// The first frame: names the session and the position from which it receives frames. When `resumed` is false
    /// although `after` was given, more was missed than the server remembers: the client reads everything again.
    Hello(HelloFrame, Hello) = "hello";
    /// A message arrived.
    MessageCreated(MessageCreatedFrame, NoticeChanged) = "message.created";
    /// A message was changed, read, or restored.
    MessageUpdated(MessageUpdatedFrame, NoticeChanged) = "message.updated";
    /// A message was removed.
    MessageRemoved(MessageRemovedFrame, NoticeRemoved) = "message.removed";
    /// A notification arrived.
    NotificationCreated(NotificationCreatedFrame, NoticeChanged) = "notification.created";
    /// A notification was changed, renewed, read, or restored.
    NotificationUpdated(NotificationUpdatedFrame, NoticeChanged) = "notification.updated";
    /// A notification was removed.
    NotificationRemoved(NotificationRemovedFrame, NoticeRemoved) = "notification.removed";
    /// A message in one of the member's conversations is new or was changed: the client inserts or replaces it by its
    /// id.
    ChatMessage(ChatMessageFrame, ChatSaid) = "chat.message";
    /// A conversation changed for the member: it was begun, renamed, muted or read, or its members changed.
    ChatChanged(ChatChangedFrame, ChatChanged) = "chat.changed";
    /// The member is no longer in a conversation.
    ChatLeft(ChatLeftFrame, ChatLeft) = "chat.left";
    /// A member has read a conversation up to a message.
    ChatRead(ChatReadFrame, ChatRead) = "chat.read";
    // The interface keeps the six seconds: `ui/src/features/chat/typing.ts`.
    /// A member is typing in a conversation; the frame is valid for six seconds.
    ChatTyping(ChatTypingFrame, ChatTyping) = "chat.typing";
    /// A member's visible status changed.
    Presence(PresenceFrame, Presence) = "presence";
    /// All members who are present: sent after `hello`, and whenever single changes were missed.
    PresenceAll(PresenceAllFrame, PresenceAll) = "presence.all";
    /// A record was created, changed or removed: the client reads again what shows it.
    RecordChanged(RecordChangedFrame, RecordChanged) = "record.changed";
    /// The members who edit a record now; sent to all of them.
    RecordEditors(RecordEditorsFrame, RecordEditors) = "record.editors";
    /// The session ended or is locked: the socket closes.
    SessionEnded(SessionEndedFrame, SessionEnded) = "session.ended";
    /// More happened than the server sends one by one: the client reads everything again.
    Resync(ResyncFrame, Nothing) = "resync";
}

frames! {
    Deserialize;
    /// A frame from a client, at most 20 a second.
    ClientFrame CLIENT_FRAMES;
    id: Option<u64>, "Ignored.";
    /// The member is typing in a conversation; the client repeats it every few seconds while they are.
    Typing(TypingFrame, Typing) = "typing";
    /// Whether the member has done nothing at this device for five minutes.
    Activity(ActivityFrame, Activity) = "activity";
    /// The records that the member edits at this device: the complete list each time, at most 20.
    Editing(EditingFrame, Editing) = "editing";
}

/// The session, and the position from which it receives frames.
#[derive(Debug, Serialize, Object)]
#[oai(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct Hello {
    /// The session's id.
    pub session_id: Uuid,
    /// The member's id.
    pub member_id: MemberId,
    /// The ledger sequence number after which frames are sent.
    pub at: u64,
    /// Whether nothing was missed since `after`.
    pub resumed: bool,
}

/// The current state of a message or notification.
#[derive(Debug, Serialize, Object)]
pub struct NoticeChanged {
    /// The message or notification.
    pub item: Notice,
    /// The total number of unread messages or notifications.
    pub unread: u64,
}

/// A removed message or notification.
#[derive(Debug, Serialize, Object)]
#[oai(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct NoticeRemoved {
    /// The id of the message or notification.
    pub item_id: Id<Item>,
    /// The total number of unread messages or notifications.
    pub unread: u64,
}

/// A message of a conversation.
#[derive(Debug, Serialize, Object)]
#[oai(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ChatSaid {
    /// The conversation's id.
    pub chat_id: Id<Conversation>,
    /// The message, as the API returns it to this member.
    pub message: MessageView,
}

/// The current state of a conversation for the member.
#[derive(Debug, Serialize, Object)]
pub struct ChatChanged {
    /// The conversation without its messages.
    pub chat: ChatView,
    /// The number of unread messages in all conversations.
    pub unread: u64,
}

/// A conversation that the member is no longer in.
#[derive(Debug, Serialize, Object)]
#[oai(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ChatLeft {
    /// The conversation's id.
    pub chat_id: Id<Conversation>,
}

/// How far a member has read a conversation.
#[derive(Debug, Serialize, Object)]
#[oai(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ChatRead {
    /// The conversation's id.
    pub chat_id: Id<Conversation>,
    /// The id of the member who has read.
    pub member_id: MemberId,
    /// The id of the last message that they have read.
    pub message_id: Id<ChatMessage>,
}

/// A member who is typing.
#[derive(Debug, Serialize, Object)]
#[oai(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ChatTyping {
    /// The conversation's id.
    pub chat_id: Id<Conversation>,
    /// The id of the member who is typing.
    pub member_id: MemberId,
}

/// A member's presence, as colleagues see it.
#[derive(Debug, Serialize, Object)]
#[oai(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct Presence {
    /// The member's id.
    pub member_id: MemberId,
    /// The visible status.
    pub status: Status,
}

/// All members who are present; a member who is not listed is `not-visible`.
#[derive(Debug, Serialize, Object)]
pub struct PresenceAll {
    /// The members, with their statuses.
    pub members: Vec<Presence>,
}

/// The operation on a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Enum)]
#[oai(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum RecordOp {
    /// The record was created.
    Created,
    /// The record was changed.
    Updated,
    /// The record was removed.
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

/// A change of a record.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct RecordChanged {
    /// The record's kind: `task`, `customer`, `member`, ...
    pub kind: String,
    /// The record's id.
    pub record_id: Uuid,
    /// The record's version after the change.
    pub version: u64,
    /// The operation.
    pub op: RecordOp,
    /// The id of the member who made the change; absent when it was not a member.
    pub member_id: Option<MemberId>,
}

/// The members who edit a record.
#[derive(Debug, Serialize, Object)]
#[oai(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct RecordEditors {
    /// The record's kind.
    pub kind: String,
    /// The record's id.
    pub record_id: Uuid,
    /// The ids of the editors, in the order in which they began.
    pub member_ids: Vec<MemberId>,
}

/// Why the session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Enum)]
#[oai(rename = "SessionEndReason", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The session was ended elsewhere, or it expired.
    Ended,
    /// The session is locked until its member proves their identity.
    Locked,
    /// The member signed out.
    SignedOut,
    /// The member may no longer sign in.
    Suspended,
    /// The company requires a second factor that the member has not set up.
    SecondFactorRequired,
}

impl From<SessionEndReason> for Reason {
    fn from(reason: SessionEndReason) -> Self {
        match reason {
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

/// An empty object.
#[derive(Debug, Default, Serialize, Object)]
#[oai(rename = "ResyncData")]
pub struct Nothing {}

/// The conversation in which the member is typing.
#[derive(Debug, Deserialize, Object)]
#[oai(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct Typing {
    /// The conversation's id.
    pub chat_id: String,
}

/// Whether the member is active at the device.
#[derive(Debug, Deserialize, Object)]
#[oai(rename = "DeviceActivity")]
pub struct Activity {
    /// Whether there was no input at the device for five minutes.
    pub idle: bool,
}

/// A record that the member edits.
#[derive(Debug, Deserialize, Object)]
#[oai(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct Edited {
    /// The record's kind.
    pub kind: String,
    /// The record's id.
    pub record_id: Uuid,
}

/// All records that the member edits at the device.
#[derive(Debug, Deserialize, Object)]
pub struct Editing {
    /// The records.
    pub records: Vec<Edited>,
}
