//! API handlers of chat: those of section 7 of the specification, and additions for team chat.

use poem_openapi::{
    Object, OpenApi,
    param::{Path, Query},
};
use serde::Serialize;
use serde_with::skip_serializing_none;

use super::{
    contacts::{self, Card, Contact, Profile},
    find::{self, Found},
    message::ChatMessage,
    model::Conversation,
    requests::{Change, ChangeGroup, CreateGroup, Edit, Open, React, Read, Send},
    rules::{self, Draft, GroupChange, HistoryPosition},
    views::{ChatView, MessageView, Presenter},
};
use crate::{
    access::Member,
    kernel::{Code, Error, Id, MemberId, Result},
    people::permission::OwnData,
    store::{Stored, TenantRead, TenantWrite},
    wire::{Created, IdempotencyKey, Json, JsonResponse, NoContent, Reply},
};

/// A page of a conversation's history.
#[derive(Serialize, Object)]
#[oai(rename = "ChatHistory")]
struct History {
    /// The messages, oldest first.
    items: Vec<MessageView>,
    /// Whether there are older messages.
    more: bool,
    /// Whether there are newer messages.
    newer: bool,
}

/// The number of unread messages.
#[derive(Serialize, Object)]
#[oai(rename = "ChatUnread")]
struct Unread {
    /// The total number of unread messages in all conversations that are not muted.
    unread: u64,
}

/// A message that a search found, with its conversation.
#[derive(Serialize, Object)]
#[oai(rename = "ChatFound")]
struct FoundView {
    message: MessageView,
    chat: FoundIn,
}

/// The conversation of a message that a search found.
#[derive(Serialize, Object)]
#[oai(rename = "ChatFoundIn")]
struct FoundIn {
    id: Id<Conversation>,
    /// The name of the other member or of the group.
    name: String,
}

/// The results of a search.
#[skip_serializing_none]
#[derive(Serialize, Object)]
#[oai(rename = "ChatFindings")]
struct Findings {
    /// The results, best first.
    items: Vec<FoundView>,
    /// True while the search index lacks changes and results may be missing; absent otherwise.
    #[oai(skip_serializing_if_is_none)]
    partial: Option<bool>,
}

/// API of chat.
pub struct Api;

#[OpenApi(prefix_path = "/apps/chat", tag = "crate::wire::Tag::Chat")]
impl Api {
    /// List the caller's conversations without their messages, the most recently active first.
    ///
    /// At most 1,000. Once they take 4 MiB, those that follow have neither the members of their groups nor read marks.
    #[oai(path = "/chats", method = "get", operation_id = "listChats")]
    async fn list(&self, member: Member<OwnData>) -> Reply<JsonResponse<Vec<ChatView>>> {
        let presenter = Presenter::of(&member);
        let views = move |tx: &TenantRead<'_>| presenter.chats(tx, rules::list(tx)?);
        Ok(JsonResponse(member.read_blocking(views).await?))
    }

    /// Get a conversation with its last 50 messages.
    #[oai(path = "/chat", method = "get", operation_id = "getChat")]
    async fn get(&self, member: Member<OwnData>, id: Query<String>) -> Reply<JsonResponse<ChatView>> {
        let presenter = Presenter::of(&member);
        Ok(JsonResponse(member.read(|tx| presenter.chat_with_messages(tx, rules::get(tx, &id)?))?))
    }

    /// Open the conversation with a colleague, creating it if there is none.
    #[oai(path = "/chat", method = "post", operation_id = "openChat")]
    async fn open(
        &self,
        member: Member<OwnData>,
        body: Json<Open>,
        #[oai(name = "Idempotency-Key")] key: IdempotencyKey,
    ) -> Reply<JsonResponse<ChatView>> {
        let presenter = Presenter::of(&member);
        let open = move |tx: &TenantWrite<'_>| rules::open(tx, body.0.contact_id);
        let chat = member.write_idempotent("chat.open", key.0, body.1, open).await?;
        Ok(JsonResponse(member.read(|tx| presenter.chat_with_messages(tx, chat))?))
    }

    /// Mute a conversation for the caller, or set its unread count.
    #[oai(path = "/chat", method = "patch", operation_id = "changeChat")]
    async fn change(&self, member: Member<OwnData>, body: Json<Change>) -> Reply<JsonResponse<ChatView>> {
        let presenter = Presenter::of(&member);
        let Change { id, chat } = body.0;
        let muted = chat.muted.into_option();
        let unread = chat.unread_count.into_option();
        let change =
            move |tx: &TenantWrite<'_>| presenter.chat_with_messages(tx, rules::change(tx, &id, muted, unread)?);
        Ok(JsonResponse(member.write(change).await?))
    }

    /// Create a group of the caller, who becomes its owner, and other members.
    #[oai(path = "/groups", method = "post", operation_id = "createChatGroup")]
    async fn create_group(
        &self,
        member: Member<OwnData>,
        body: Json<CreateGroup>,
        #[oai(name = "Idempotency-Key")] key: IdempotencyKey,
    ) -> Reply<Created<ChatView>> {
        let presenter = Presenter::of(&member);
        let CreateGroup { name, member_ids } = body.0;
        let create = move |tx: &TenantWrite<'_>| rules::create_group(tx, &name, &member_ids);
        let chat = member.write_idempotent("chat.group", key.0, body.1, create).await?;
        let id = chat.id;
        let version = chat.version;
        let body = member.read(|tx| presenter.chat_with_messages(tx, chat))?;
        Ok(Created { location: format!("/api/apps/chat/chat?id={id}"), version, body })
    }

    /// Change a group's name and members.
    ///
    /// Every member of the group may rename it and add members. Only its owner may remove members.
    #[oai(path = "/groups/:id", method = "patch", operation_id = "changeChatGroup")]
    async fn change_group(
        &self,
        member: Member<OwnData>,
        id: Path<Id<Conversation>>,
        body: Json<ChangeGroup>,
    ) -> Reply<JsonResponse<ChatView>> {
        let presenter = Presenter::of(&member);
        let ChangeGroup { name, add, remove } = body.0;
        let change = GroupChange { name, add: add.unwrap_or_default(), remove: remove.unwrap_or_default() };
        let change =
            move |tx: &TenantWrite<'_>| presenter.chat_with_messages(tx, rules::change_group(tx, id.0, change)?);
        Ok(JsonResponse(member.write(change).await?))
    }

    /// Leave a group.
    #[oai(path = "/groups/:id/membership", method = "delete", operation_id = "leaveChatGroup")]
    async fn leave_group(&self, member: Member<OwnData>, id: Path<Id<Conversation>>) -> Reply<NoContent> {
        member.write(move |tx| rules::leave_group(tx, id.0)).await?;
        Ok(NoContent)
    }

    /// Send a message to a conversation.
    #[oai(path = "/messages", method = "post", operation_id = "sendChatMessage")]
    async fn send(
        &self,
        member: Member<OwnData>,
        body: Json<Send>,
        #[oai(name = "Idempotency-Key")] key: IdempotencyKey,
    ) -> Reply<Created<MessageView>> {
        let (presenter, Send { chat_id, value, client_id, attachments, mentions, references }) =
            (Presenter::of(&member), body.0);
        let draft = Draft {
            value,
            client_id,
            attachments: attachments.unwrap_or_default(),
            mentions: mentions.unwrap_or_default(),
            references: references.unwrap_or_default(),
        };
        let send = move |tx: &TenantWrite<'_>| rules::send(tx, &chat_id, draft);
        let message = member.write_idempotent("chat.send", key.0, body.1, send).await?;
        let chat = message.conversation;
        let version = message.version;
        let body = member.read(|tx| presenter.message(tx, message))?;
        Ok(Created { location: format!("/api/apps/chat/messages?chatId={chat}"), version, body })
    }

    /// Edit a message that the caller sent within the last 15 minutes.
    #[oai(path = "/messages/:id", method = "patch", operation_id = "editChatMessage")]
    async fn edit(
        &self,
        member: Member<OwnData>,
        id: Path<Id<ChatMessage>>,
        body: Json<Edit>,
    ) -> Reply<JsonResponse<MessageView>> {
        let Edit { value, mentions, references } = body.0;
        revise(&member, move |tx| rules::edit(tx, id.0, value, mentions, references)).await
    }

    /// Remove a message that the caller sent within the last 15 minutes.
    ///
    /// The message stays in the history, marked as removed and without its content.
    #[oai(path = "/messages/:id", method = "delete", operation_id = "removeChatMessage")]
    async fn remove(&self, member: Member<OwnData>, id: Path<Id<ChatMessage>>) -> Reply<JsonResponse<MessageView>> {
        revise(&member, move |tx| rules::remove(tx, id.0)).await
    }

    /// Add or remove the caller's reaction to a message.
    ///
    /// A message has up to 20 different reactions.
    #[oai(path = "/messages/:id/reactions", method = "post", operation_id = "reactToChatMessage")]
    async fn react(
        &self,
        member: Member<OwnData>,
        id: Path<Id<ChatMessage>>,
        body: Json<React>,
    ) -> Reply<JsonResponse<MessageView>> {
        revise(&member, move |tx| rules::react(tx, id.0, &body.0.emoji, body.0.on)).await
    }

    /// List messages of a conversation, oldest first.
    ///
    /// Without parameters, returns the last messages. `around` takes precedence over `after`, and `after` over
    /// `before`.
    #[oai(path = "/messages", method = "get", operation_id = "listChatMessages")]
    async fn history(
        &self,
        member: Member<OwnData>,
        #[oai(name = "chatId")] chat_id: Query<String>,
        /// Returns only messages older than this one.
        before: Query<Option<Id<ChatMessage>>>,
        /// Returns only messages newer than this one.
        after: Query<Option<Id<ChatMessage>>>,
        /// Returns this message and as many on both sides of it.
        around: Query<Option<Id<ChatMessage>>>,
        limit: Query<Option<u32>>,
    ) -> Reply<JsonResponse<History>> {
        let limit = check_limit(limit.0, 50, 200)?;
        let presenter = Presenter::of(&member);
        let position = HistoryPosition { before: before.0, after: after.0, around: around.0 };
        let history = move |tx: &TenantRead<'_>| {
            let page = rules::history(tx, rules::get(tx, &chat_id)?.id, position, limit)?;
            Ok(History { items: presenter.messages(tx, page.items)?, more: page.more, newer: page.newer })
        };
        Ok(JsonResponse(member.read_blocking(history).await?))
    }

    /// Search the messages of the caller's conversations while the caller types.
    #[oai(path = "/search", method = "get", operation_id = "searchChat")]
    async fn search(
        &self,
        member: Member<OwnData>,
        /// The search text. Fewer than 2 characters find nothing; only the first 256 are used.
        q: Query<String>,
        /// Searches only this conversation.
        #[oai(name = "chatId")]
        chat_id: Query<Option<String>>,
        /// The maximum number of results, 1 to 50. The default is 20.
        limit: Query<Option<u32>>,
    ) -> Reply<JsonResponse<Findings>> {
        let presenter = Presenter::of(&member);
        let limit = check_limit(limit.0, 20, 50)?;
        let searched = find::find(&member, chat_id.0.as_deref(), q.0, limit).await?;
        let view = |tx: &TenantRead<'_>, Found { message, chat }: Found| -> Result<FoundView> {
            let chat = FoundIn { id: chat.id, name: presenter.contact(tx, &chat)?.into_name() };
            Ok(FoundView { message: presenter.message(tx, message)?, chat })
        };
        let items = member.read(|tx| searched.found.into_iter().map(|found| view(tx, found)).collect())?;
        Ok(JsonResponse(Findings { items, partial: searched.is_partial.then_some(true) }))
    }

    /// Mark a conversation as read, up to a message or all of it.
    ///
    /// A read mark never moves back.
    #[oai(path = "/read", method = "post", operation_id = "readChat")]
    async fn read(&self, member: Member<OwnData>, body: Json<Read>) -> Reply<JsonResponse<ChatView>> {
        let presenter = Presenter::of(&member);
        let Read { chat_id, message_id } = body.0;
        let read = move |tx: &TenantWrite<'_>| presenter.chat(tx, rules::read(tx, &chat_id, message_id)?);
        Ok(JsonResponse(member.write(read).await?))
    }

    /// Count the caller's unread messages in conversations that are not muted.
    #[oai(path = "/unread", method = "get", operation_id = "countUnreadChatMessages")]
    async fn unread(&self, member: Member<OwnData>) -> Reply<JsonResponse<Unread>> {
        Ok(JsonResponse(Unread { unread: member.read(rules::count_unread)? }))
    }

    /// List the other active members by name, without details.
    ///
    /// Once they take 4 MiB, those that follow have no `about`: `getChatContact` has it.
    #[oai(path = "/contacts", method = "get", operation_id = "listChatContacts")]
    async fn contacts(&self, member: Member<OwnData>) -> Reply<JsonResponse<Vec<Contact>>> {
        Ok(JsonResponse(member.read(|tx| contacts::list(tx, member.locale(), member.presence()))?))
    }

    /// Get one member with all details.
    #[oai(path = "/contact", method = "get", operation_id = "getChatContact")]
    async fn contact(&self, member: Member<OwnData>, id: Query<MemberId>) -> Reply<JsonResponse<Card>> {
        Ok(JsonResponse(member.read(|tx| contacts::card(tx, id.0, member.locale(), member.presence()))?))
    }

    /// Get the caller's profile.
    #[oai(path = "/profile", method = "get", operation_id = "getChatProfile")]
    async fn profile(&self, member: Member<OwnData>) -> Reply<JsonResponse<Profile>> {
        Ok(JsonResponse(Profile::new(member.record())))
    }
}

/// Applies a change to a message and returns the message as the caller sees it.
async fn revise(
    member: &Member<OwnData>,
    work: impl FnOnce(&TenantWrite<'_>) -> Result<Stored<ChatMessage>> + std::marker::Send + 'static,
) -> Reply<JsonResponse<MessageView>> {
    let presenter = Presenter::of(member);
    let work = move |tx: &TenantWrite<'_>| presenter.message(tx, work(tx)?);
    Ok(JsonResponse(member.write(work).await?))
}

/// Checks that a limit is between 1 and `max`.
fn check_limit(limit: Option<u32>, default: u32, max: u32) -> Result<usize> {
    match limit.unwrap_or(default) {
        limit if (1..=max).contains(&limit) => Ok(limit as usize),
        _ => {
            let params = vec![("min", "1".to_owned()), ("max", max.to_string())];
            Err(Error::new(Code::Invalid).and_field("limit", "errors.fields.range", params))
        }
    }
}
