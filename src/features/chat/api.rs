//! The calls for chat, as the specification's section 7 has them, and those that sending takes.

use poem_openapi::{Object, OpenApi, param::Query, types::Any};
use serde::Serialize;

use super::{
    contacts::{self, Card, Contact, Partner, Profile},
    model::{ChatMessage, Conversation, Side},
    rules,
};
use crate::{
    access::{Member, permission::OwnData},
    kernel::{Code, Error, Id, MemberId, Result, Timestamp, words::Locale},
    store::{Stored, TenantRead, TenantWrite},
    wire::{Answer, Created, Json, Reply},
};

/// A conversation as one of its two members sees it.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "Chat", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
struct View {
    id: Id<Conversation>,
    /// The other member.
    contact_id: MemberId,
    /// Messages that the caller has not read.
    unread_count: u32,
    /// Whether the caller wants to hear nothing of it.
    muted: bool,
    /// How the last message begins: its first 200 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_message_at: Option<Timestamp>,
    contact: Partner,
    /// The last 50 messages, oldest first; absent in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    messages: Option<Vec<MessageView>>,
}

/// A message as one of the two sees it.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ChatMessage", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
struct MessageView {
    id: Id<ChatMessage>,
    chat_id: Id<Conversation>,
    /// Its author: for the caller's own, the id that `profile` has.
    contact_id: MemberId,
    /// Plain text.
    value: String,
    created_at: Timestamp,
    /// Whether the caller wrote it.
    is_mine: bool,
    /// What the author's client called it; told to the author only.
    #[serde(skip_serializing_if = "Option::is_none")]
    client_id: Option<String>,
}

impl MessageView {
    fn new(record: Stored<ChatMessage>, me: MemberId) -> Self {
        let ChatMessage { conversation, author, value, client_id } = record.value;
        let is_mine = author == me;
        Self {
            id: record.id,
            chat_id: conversation,
            contact_id: author,
            value,
            created_at: record.created_at,
            is_mine,
            client_id: client_id.filter(|_| is_mine),
        }
    }
}

/// Who looks, and in which language.
#[derive(Clone, Copy)]
struct Eye {
    me: MemberId,
    locale: Locale,
}

impl Eye {
    fn of(member: &Member<OwnData>) -> Self {
        Self { me: member.id(), locale: member.locale() }
    }

    fn list(self, tx: &TenantRead<'_>, chat: Stored<Side>) -> Result<View> {
        let Side { other, unread, muted, last } = chat.value;
        let (last_message, last_message_at) = last.map(|last| (last.text, last.at)).unzip();
        Ok(View {
            id: chat.id.cast(),
            contact_id: other,
            unread_count: unread,
            muted,
            last_message,
            last_message_at,
            contact: Partner::find(tx, other, self.locale)?,
            messages: None,
        })
    }

    fn whole(self, tx: &TenantRead<'_>, chat: Stored<Side>) -> Result<View> {
        let (messages, _) = rules::history(tx, chat.id, None, rules::SHOWN)?;
        let messages = messages.into_iter().map(|message| MessageView::new(message, self.me)).collect();
        Ok(View { messages: Some(messages), ..self.list(tx, chat)? })
    }
}

/// Whom to talk to.
#[derive(Object)]
#[oai(rename = "OpenChat", rename_all = "camelCase", deny_unknown_fields)]
struct Open {
    contact_id: MemberId,
}

/// Changes to the caller's side of a conversation. A conversation may be sent back as it was given:
/// what cannot be changed is left aside.
#[derive(Object)]
#[oai(rename = "ChatPatch", rename_all = "camelCase", deny_unknown_fields)]
struct Patch {
    muted: Option<bool>,
    /// 0 when all is read; 1 and more marks it as unread. At most 9,999.
    unread_count: Option<u32>,
    id: Option<String>,
    contact_id: Option<String>,
    last_message: Option<String>,
    last_message_at: Option<Timestamp>,
    contact: Option<Any<serde_json::Value>>,
    messages: Option<Any<serde_json::Value>>,
}

/// The body of `PATCH`.
#[derive(Object)]
#[oai(rename = "ChangeChat", deny_unknown_fields)]
struct Change {
    id: String,
    chat: Patch,
}

/// What to say, and where.
#[derive(Object)]
#[oai(rename = "SendChatMessage", rename_all = "camelCase", deny_unknown_fields)]
struct Send {
    chat_id: String,
    /// Plain text of up to 4,000 characters.
    value: String,
    /// The client's own name for the message: sent twice, it is one message.
    client_id: Option<String>,
}

/// Which conversation was read.
#[derive(Object)]
#[oai(rename = "ReadChat", rename_all = "camelCase", deny_unknown_fields)]
struct Read {
    chat_id: String,
}

/// A part of a conversation's history.
#[derive(Serialize, Object)]
#[oai(rename = "ChatHistory")]
struct History {
    /// The messages, oldest first.
    items: Vec<MessageView>,
    /// Whether there are older ones.
    more: bool,
}

/// How many messages are not read.
#[derive(Serialize, Object)]
#[oai(rename = "ChatUnread")]
struct Unread {
    /// In all conversations: the whole number, not what was added.
    unread: u64,
}

/// The calls.
pub struct Api;

#[OpenApi(prefix_path = "/apps/chat", tag = "crate::wire::Tag::Chat")]
impl Api {
    /// The caller's conversations, the liveliest first, without their messages.
    #[oai(path = "/chats", method = "get", operation_id = "listChats")]
    async fn list(&self, member: Member<OwnData>) -> Reply<Answer<Vec<View>>> {
        let eye = Eye::of(&member);
        let views = member.read(|tx| rules::list(tx)?.into_iter().map(|chat| eye.list(tx, chat)).collect())?;
        Ok(Answer(views))
    }

    /// One conversation with its last 50 messages.
    #[oai(path = "/chat", method = "get", operation_id = "getChat")]
    async fn get(&self, member: Member<OwnData>, id: Query<String>) -> Reply<Answer<View>> {
        let eye = Eye::of(&member);
        Ok(Answer(member.read(|tx| eye.whole(tx, rules::get(tx, &id)?))?))
    }

    /// Opens the conversation with a colleague, which is begun when there is none.
    #[oai(path = "/chat", method = "post", operation_id = "openChat")]
    async fn open(&self, member: Member<OwnData>, body: Json<Open>) -> Reply<Answer<View>> {
        let eye = Eye::of(&member);
        let open = move |tx: &TenantWrite<'_>| eye.whole(tx, rules::open(tx, body.0.contact_id)?);
        Ok(Answer(member.write(open).await?))
    }

    /// Mutes a conversation for the caller, or sets how much of it is unread.
    #[oai(path = "/chat", method = "patch", operation_id = "changeChat")]
    async fn change(&self, member: Member<OwnData>, body: Json<Change>) -> Reply<Answer<View>> {
        let (eye, Change { id, chat }) = (Eye::of(&member), body.0);
        let change = move |tx: &TenantWrite<'_>| eye.whole(tx, rules::change(tx, &id, chat.muted, chat.unread_count)?);
        Ok(Answer(member.write(change).await?))
    }

    /// Says something in a conversation.
    #[oai(path = "/messages", method = "post", operation_id = "sendChatMessage")]
    async fn send(&self, member: Member<OwnData>, body: Json<Send>) -> Reply<Created<MessageView>> {
        let (me, Send { chat_id, value, client_id }) = (member.id(), body.0);
        let message = member.write(move |tx| rules::send(tx, &chat_id, value, client_id)).await?;
        let location = format!("/api/apps/chat/messages?chatId={}", message.conversation);
        Ok(Created { location, version: message.version, body: MessageView::new(message, me) })
    }

    /// The messages of a conversation before one of them, or the last ones, oldest first.
    #[oai(path = "/messages", method = "get", operation_id = "listChatMessages")]
    async fn history(
        &self,
        member: Member<OwnData>,
        #[oai(name = "chatId")] chat_id: Query<String>,
        /// Only messages older than this one.
        before: Query<Option<Id<ChatMessage>>>,
        /// At most so many: 1 to 200, 50 when absent.
        limit: Query<Option<u32>>,
    ) -> Reply<Answer<History>> {
        let limit = match limit.0.unwrap_or(50) {
            limit @ 1..=200 => limit as usize,
            _ => return Err(out_of_range().into()),
        };
        let (items, more) = member.read(|tx| rules::history(tx, rules::get(tx, &chat_id)?.id, before.0, limit))?;
        let items = items.into_iter().map(|message| MessageView::new(message, member.id())).collect();
        Ok(Answer(History { items, more }))
    }

    /// The caller has read a conversation.
    #[oai(path = "/read", method = "post", operation_id = "readChat")]
    async fn read(&self, member: Member<OwnData>, body: Json<Read>) -> Reply<Answer<View>> {
        let eye = Eye::of(&member);
        let read = move |tx: &TenantWrite<'_>| eye.list(tx, rules::change(tx, &body.0.chat_id, None, Some(0))?);
        Ok(Answer(member.write(read).await?))
    }

    /// How many messages the caller has not read.
    #[oai(path = "/unread", method = "get", operation_id = "countUnreadChatMessages")]
    async fn unread(&self, member: Member<OwnData>) -> Reply<Answer<Unread>> {
        Ok(Answer(Unread { unread: member.read(rules::unread)? }))
    }

    /// The other members, by name, without details.
    #[oai(path = "/contacts", method = "get", operation_id = "listChatContacts")]
    async fn contacts(&self, member: Member<OwnData>) -> Reply<Answer<Vec<Contact>>> {
        Ok(Answer(member.read(|tx| contacts::list(tx, member.locale()))?))
    }

    /// Everything about one member.
    #[oai(path = "/contact", method = "get", operation_id = "getChatContact")]
    async fn contact(&self, member: Member<OwnData>, id: Query<MemberId>) -> Reply<Answer<Card>> {
        Ok(Answer(member.read(|tx| contacts::card(tx, id.0, member.locale()))?))
    }

    /// The caller.
    #[oai(path = "/profile", method = "get", operation_id = "getChatProfile")]
    async fn profile(&self, member: Member<OwnData>) -> Reply<Answer<Profile>> {
        Ok(Answer(Profile::new(member.record())))
    }
}

fn out_of_range() -> Error {
    let gaps = vec![("min", "1".to_owned()), ("max", "200".to_owned())];
    Error::new(Code::Invalid).and_field("limit", "errors.fields.range", gaps)
}
