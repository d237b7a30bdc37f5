//! API of the audit log.

use std::collections::HashMap;

use poem_openapi::{Enum, Object, OpenApi, param::Query};
use serde::Serialize;
use serde_json::Value;
use serde_with::skip_serializing_none;

use super::rules::{self, AuditFilter};
use crate::{
    access::Member,
    kernel::{Error, Id, MemberId, Result, Timestamp},
    people::{
        audit::{About, Entry, Who},
        members::MemberRecord,
        permission::AuditRead,
    },
    store::{Stored, TenantRead},
    wire::{Listed, Reply},
};

/// The kind of an actor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Enum)]
#[oai(rename = "AuditActorKind", rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
enum ActorKind {
    /// A member, who may have left since then.
    Member,
    /// The operator, by the command line.
    Operator,
    /// Atrium itself, or a client that is not signed in.
    System,
}

/// The actor of an event.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "AuditActor", skip_serializing_if_is_none)]
struct Actor {
    kind: ActorKind,
    id: Option<MemberId>,
    /// The member's current name; the name at the time of the event if the member has left.
    name: Option<String>,
    avatar: Option<String>,
    /// Whether the member has left since then.
    former: bool,
}

/// The record that an event is about.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "AuditSubject")]
struct Subject {
    /// The record's kind, such as `member`.
    kind: String,
    id: Id<Entry>,
    /// The record's name at the time of the event.
    name: String,
}

/// A detail of an event.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "AuditFact")]
struct Fact {
    name: String,
    value: String,
}

/// An event in the audit log.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "AuditEntry", skip_serializing_if_is_none)]
struct View {
    id: Id<Entry>,
    at: Timestamp,
    /// The event's name, such as `member.invited`.
    event: String,
    actor: Actor,
    about: Option<Subject>,
    facts: Vec<Fact>,
    /// The IP address of the actor; absent when there is none.
    address: Option<String>,
}

/// Cache of looked-up members.
struct Names<'t, 's> {
    tx: &'t TenantRead<'s>,
    known: HashMap<MemberId, Option<Stored<MemberRecord>>>,
}

impl Names<'_, '_> {
    fn actor(&mut self, who: &Who) -> Result<Actor> {
        let nobody = |kind| Actor { kind, id: None, name: None, avatar: None, former: false };
        let (id, then) = match who {
            Who::Operator => return Ok(nobody(ActorKind::Operator)),
            Who::System => return Ok(nobody(ActorKind::System)),
            Who::Member { id, name } => (*id, name),
        };
        if !self.known.contains_key(&id) {
            let member = self.tx.find::<MemberRecord>(id)?;
            self.known.insert(id, member);
        }
        let member = self.known.get(&id).and_then(Option::as_ref);
        Ok(Actor {
            kind: ActorKind::Member,
            id: Some(id),
            name: Some(member.map_or_else(|| then.clone(), |member| member.name.clone())),
            avatar: member.and_then(|member| member.avatar.clone()),
            former: member.is_none(),
        })
    }

    fn view(&mut self, entry: &Stored<Entry>) -> Result<View> {
        let subject = |about: &About| Subject {
            kind: about.kind.clone(),
            id: Id::from_bytes(about.id),
            name: about.name.clone(),
        };
        let fact = |(name, value): &(String, String)| Fact { name: name.clone(), value: value.clone() };
        Ok(View {
            id: entry.id,
            at: entry.created_at,
            event: entry.event().to_owned(),
            actor: self.actor(entry.actor())?,
            about: entry.about().map(subject),
            facts: entry.facts().iter().map(fact).collect(),
            address: entry.address().map(str::to_owned),
        })
    }
}

/// Visits all entries about a record, the oldest first. Returns the number of damaged entries, which are left out.
/// Errors: what `visit` returns.
pub fn each_about(tx: &TenantRead<'_>, record: [u8; 16], mut visit: impl FnMut(&Value) -> Result<()>) -> Result<u64> {
    let mut names = Names { tx, known: HashMap::new() };
    tx.each::<Entry>(|entry| {
        if entry.about().is_none_or(|about| about.id != record) {
            return Ok(());
        }
        visit(&serde_json::to_value(names.view(&entry)?).map_err(Error::internal)?)
    })
}

/// The API of the audit log.
pub struct Api;

#[OpenApi(prefix_path = "/audit", tag = "crate::wire::Tag::Settings")]
impl Api {
    /// List the audit log of the company's accounts and settings.
    ///
    /// The newest entries come first.
    #[oai(path = "/", method = "get", operation_id = "listAuditEntries")]
    #[expect(clippy::too_many_arguments, reason = "each is a parameter of the call")]
    async fn list(
        &self,
        member: Member<AuditRead>,
        /// Only events caused by this member, who may have left.
        actor: Query<Option<MemberId>>,
        /// Only events caused by this member, or about them.
        #[oai(name = "member")]
        concerned: Query<Option<MemberId>>,
        /// Only events with this name, as in `member.invited`, or with its first part, as in `member`.
        event: Query<Option<String>>,
        /// Only events at this time or later.
        from: Query<Option<Timestamp>>,
        /// Only events before this time.
        to: Query<Option<Timestamp>>,
        limit: Query<Option<u32>>,
        cursor: Query<Option<String>>,
    ) -> Reply<Listed<View>> {
        let cursors = member.cursors();
        let paging = cursors.paging(limit.0, cursor.0.as_deref())?;
        let sought = AuditFilter {
            actor: actor.0,
            member: concerned.0,
            event: event.0.filter(|word| !word.is_empty()),
            from: from.0,
            to: to.0,
        };
        let look = move |tx: &TenantRead<'_>| {
            let part = rules::list(tx, &sought, &paging)?;
            let mut names = Names { tx, known: HashMap::new() };
            let views = part.items.iter().map(|entry| names.view(entry)).collect::<Result<Vec<View>>>()?;
            Ok(cursors.list(views, part.next, part.total)?.without_damaged(part.damaged))
        };
        Ok(Listed(member.read_blocking(look).await?))
    }
}
