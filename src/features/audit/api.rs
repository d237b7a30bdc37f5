//! The call for the record of what happened.

use std::collections::HashMap;

use poem_openapi::{Enum, Object, OpenApi, param::Query};
use serde::Serialize;

use super::rules::{self, AuditFilter};
use crate::{
    access::{
        Member,
        audit::{About, Entry, Who},
        members::MemberRecord,
        permission::AuditRead,
    },
    kernel::{Id, MemberId, Result, Timestamp},
    store::{Stored, TenantRead},
    wire::{Listed, Reply},
};

/// Who may have done something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Enum)]
#[oai(rename = "AuditActorKind", rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
enum ActorKind {
    /// A member, who may have left since.
    Member,
    /// Whoever has a shell on the machine.
    Operator,
    /// Atrium itself, or somebody whom it does not know.
    System,
}

/// Who did something.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "AuditActor", skip_serializing_if_is_none)]
struct Actor {
    kind: ActorKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<MemberId>,
    /// The member's name: as it is now, or as it was then for who has left.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    avatar: Option<String>,
    /// Whether the member has left since.
    former: bool,
}

/// What something was done to.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "AuditSubject")]
struct Subject {
    /// The record's kind, as in `member`.
    kind: String,
    id: Id<Entry>,
    /// The name that it had then.
    name: String,
}

/// What else is to be known of it.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "AuditFact")]
struct Fact {
    name: String,
    value: String,
}

/// Something that happened.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "AuditEntry", skip_serializing_if_is_none)]
struct View {
    id: Id<Entry>,
    at: Timestamp,
    /// A word as in `member.invited`.
    event: String,
    actor: Actor,
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<Subject>,
    facts: Vec<Fact>,
    /// The address that it was done from; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<String>,
}

/// Looks members up, each once.
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
            let member = self.tx.find::<MemberRecord>(id.cast())?;
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

/// The calls.
pub struct Api;

#[OpenApi(prefix_path = "/audit", tag = "crate::wire::Tag::Settings")]
impl Api {
    /// What happened to the company's accounts and settings, the newest first.
    #[oai(path = "/", method = "get", operation_id = "listAuditEntries")]
    #[expect(clippy::too_many_arguments, reason = "each is a parameter of the call")]
    async fn list(
        &self,
        member: Member<AuditRead>,
        /// Only what this member did; they may have left.
        actor: Query<Option<MemberId>>,
        /// Only what this member did, or what was done to them.
        #[oai(name = "member")]
        concerned: Query<Option<MemberId>>,
        /// Only such events: a word as in `member.invited`, or its beginning as in `member`.
        event: Query<Option<String>>,
        /// Only what happened then or later.
        from: Query<Option<Timestamp>>,
        /// Only what happened before.
        to: Query<Option<Timestamp>>,
        /// 1 to 200; 50 when absent.
        limit: Query<Option<u32>>,
        /// The `nextCursor` of the page before.
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
