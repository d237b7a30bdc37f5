//! Frames for committed changes: serializes them and selects their audience by the features' `LiveKind` lists.

use std::collections::HashMap;

use bytes::Bytes;
use uuid::Uuid;

use super::frames::{
    self, ChatChanged, ChatChangedFrame, ChatLeft, ChatLeftFrame, ChatMessageFrame, ChatReadFrame, ChatSaid,
    MessageCreatedFrame, MessageRemovedFrame, MessageUpdatedFrame, Nothing, NoticeChanged, NoticeRemoved,
    NotificationCreatedFrame, NotificationRemovedFrame, NotificationUpdatedFrame, PresenceAll, PresenceAllFrame,
    PresenceFrame, RecordChanged, RecordChangedFrame, RecordEditors, RecordEditorsFrame, ResyncFrame, ServerFrame,
};
use crate::{
    feature::{AudienceRule, LiveKind},
    features::{
        chat::{self, ChatMessage, ChatRead, Membership, Presenter},
        messages::Messages,
        notices::{ExcerptReader, Item, Kind, Notice, rules},
        notifications::Notifications,
    },
    kernel::{Error, Id, MemberId, Result, TenantId},
    live::{
        Audience, FrameSource, OutgoingFrame, SessionImpact,
        presence::{Presence, PresenceState},
    },
    people::{
        members::{ActiveMember, Company, MemberRecord, Status, visible_status},
        permission::Permission,
    },
    store::{Change, Op, Record, Store, TenantRead},
};

/// Changes of one member's personal records that a commit (a group of several callers' writes) announces one by one;
/// after more, the member gets `resync`.
const MAX_OWN_CHANGES: usize = 50;
/// The same limit for the tenant's shared records; below `MAX_LEDGER_FRAMES` of `live/topic.rs`.
const MAX_SHARED_CHANGES: usize = 256;

/// Builds the frames of all features.
pub struct FrameBuilder {
    store: Store,
    presence: Presence,
    kinds: HashMap<&'static str, AudienceRule>,
}

impl FrameBuilder {
    /// Creates a builder that announces these kinds and no others.
    pub fn new(store: Store, presence: Presence, kinds: impl Iterator<Item = &'static LiveKind>) -> Self {
        Self { store, presence, kinds: kinds.map(|live| (live.kind, live.to)).collect() }
    }

    fn try_build_frames(&self, tenant: TenantId, changes: &[&Change]) -> Result<Vec<OutgoingFrame>> {
        let snapshot = self.store.snapshot()?;
        let mut count: HashMap<Option<MemberId>, usize> = HashMap::new();
        for change in changes.iter().filter(|change| self.kinds.contains_key(change.kind.as_str())) {
            *count.entry(change.person).or_default() += 1;
        }
        let mut frames = Vec::new();
        for change in changes {
            let max = if change.person.is_some() { MAX_OWN_CHANGES } else { MAX_SHARED_CHANGES };
            let too_many = count.get(&change.person).is_some_and(|count| *count > max);
            let frame = match (self.kinds.get(change.kind.as_str()), change.person) {
                _ if too_many => continue,
                (Some(AudienceRule::Owner), Some(person)) => {
                    self.own_frame(&snapshot.tenant(tenant, Some(person)), change, person)?
                }
                (Some(AudienceRule::Holders(right)), None) => {
                    Some((Audience::Holders(right_bit(*right)), changed_frame(change)))
                }
                (Some(AudienceRule::HoldersOrRestricted(right, restrict)), None) => {
                    let restricted = restrict(&snapshot.tenant(tenant, None), change.id, Some(change))?;
                    let holders = restricted.as_ref().map_or(Some(*right), |to| to.holders).map_or(0, right_bit);
                    let mut people = restricted.map_or_else(Vec::new, |to| to.people);
                    people.retain(|person| self.rights(tenant, *person) & holders == 0);
                    if !people.is_empty() {
                        frames.push(OutgoingFrame {
                            ledger_seq: change.seq,
                            to: Audience::People(people),
                            text: encode(&changed_frame(change)),
                        });
                    }
                    (holders != 0).then(|| (Audience::Holders(holders), changed_frame(change)))
                }
                (Some(AudienceRule::Members(who)), None) => {
                    frames.extend(self.frames_for_members(&snapshot.tenant(tenant, None), change, *who)?);
                    None
                }
                _ => None,
            };
            frames.extend(frame.map(|(to, frame)| OutgoingFrame { ledger_seq: change.seq, to, text: encode(&frame) }));
        }
        let last = changes.last().map_or(0, |change| change.seq);
        let resync = |to| OutgoingFrame { ledger_seq: last, to, text: encode(&resync_frame(last)) };
        for (person, _) in count
            .into_iter()
            .filter(|(person, count)| *count > if person.is_some() { MAX_OWN_CHANGES } else { MAX_SHARED_CHANGES })
        {
            frames.push(resync(person.map_or(Audience::Holders(u64::MAX), |person| Audience::People(vec![person]))));
        }
        Ok(frames)
    }

    /// Builds the frame for a personal record, addressed to its owner.
    fn own_frame(
        &self,
        tx: &TenantRead<'_>,
        change: &Change,
        person: MemberId,
    ) -> Result<Option<(Audience, ServerFrame)>> {
        let frame = match change.kind.as_str() {
            <Notice<Messages> as Record>::KIND => notice_frame::<Messages>(tx, change, person)?,
            <Notice<Notifications> as Record>::KIND => notice_frame::<Notifications>(tx, change, person)?,
            <Membership as Record>::KIND => match tx.person(person).find::<Membership>(Id::from_bytes(change.id))? {
                Some(membership) => {
                    let Some(presenter) = self.presenter(tx, person)? else { return Ok(None) };
                    let data =
                        ChatChanged { chat: presenter.chat(tx, membership)?, unread: chat::rules::count_unread(tx)? };
                    ServerFrame::ChatChanged(ChatChangedFrame { id: change.seq, data })
                }
                None => {
                    let data = ChatLeft { chat_id: Id::from_bytes(change.id) };
                    ServerFrame::ChatLeft(ChatLeftFrame { id: change.seq, data })
                }
            },
            _ => changed_frame(change),
        };
        Ok(Some((Audience::People(vec![person]), frame)))
    }

    /// Builds the frames for a record that only some members may see.
    fn frames_for_members(
        &self,
        tx: &TenantRead<'_>,
        change: &Change,
        who: fn(&TenantRead<'_>, [u8; 16]) -> Result<Vec<MemberId>>,
    ) -> Result<Vec<OutgoingFrame>> {
        let people = who(tx, change.id)?;
        let outgoing = |people, frame: &ServerFrame| OutgoingFrame {
            ledger_seq: change.seq,
            to: Audience::People(people),
            text: encode(frame),
        };
        match change.kind.as_str() {
            <ChatMessage as Record>::KIND => {
                let Some(message) = tx.find(Id::<ChatMessage>::from_bytes(change.id))? else { return Ok(Vec::new()) };
                let mut frames = Vec::new();
                for people in group_by_view(&message, people) {
                    let Some(presenter) = self.presenter(tx, people[0])? else { continue };
                    let data =
                        ChatSaid { chat_id: message.conversation, message: presenter.message(tx, message.clone())? };
                    frames.push(outgoing(people, &ServerFrame::ChatMessage(ChatMessageFrame { id: change.seq, data })));
                }
                Ok(frames)
            }
            <ChatRead as Record>::KIND => {
                let mark = tx.find(Id::<ChatRead>::from_bytes(change.id))?;
                Ok(mark.map_or_else(Vec::new, |mark| {
                    let ChatRead { conversation: chat_id, member: member_id, message: message_id } = mark.value;
                    let data = frames::ChatRead { chat_id, member_id, message_id };
                    vec![outgoing(people, &ServerFrame::ChatRead(ChatReadFrame { id: change.seq, data }))]
                }))
            }
            _ => Ok(vec![outgoing(people, &changed_frame(change))]),
        }
    }

    /// Returns the presenter for a member's view of conversations; `None` when they may not sign in.
    fn presenter(&self, tx: &TenantRead<'_>, person: MemberId) -> Result<Option<Presenter>> {
        let found = ActiveMember::find(tx, person)?;
        Ok(found.map(|found| Presenter::new(person, found.member.role, found.locale(), self.presence.clone())))
    }
}

/// Groups members for whom a message looks the same: its author, and all others. With references each member gets
/// their own copy, because each sees only the references that they may.
fn group_by_view(message: &ChatMessage, people: Vec<MemberId>) -> Vec<Vec<MemberId>> {
    if !message.references.is_empty() {
        return people.into_iter().map(|person| vec![person]).collect();
    }
    let (authors, others): (Vec<_>, Vec<_>) = people.into_iter().partition(|person| *person == message.author);
    [authors, others].into_iter().filter(|people| !people.is_empty()).collect()
}

/// Builds the frame with the current state of a message or notification.
fn notice_frame<K: Kind>(tx: &TenantRead<'_>, change: &Change, person: MemberId) -> Result<ServerFrame> {
    let own = tx.person(person);
    let unread = rules::count_unread::<K>(&own)?;
    let found = own.find::<Notice<K>>(Id::from_bytes(change.id))?.filter(|notice| notice.removed.is_none());
    let id = change.seq;
    let is_message = K::NAME == Messages::NAME;
    let Some(mut notice) = found else {
        let data = NoticeRemoved { item_id: Id::<Item>::from_bytes(change.id), unread };
        return Ok(if is_message {
            ServerFrame::MessageRemoved(MessageRemovedFrame { id, data })
        } else {
            ServerFrame::NotificationRemoved(NotificationRemovedFrame { id, data })
        });
    };
    ExcerptReader::new(own).fill(&mut notice.value)?;
    let data = NoticeChanged { item: notice.into(), unread };
    Ok(match (is_message, change.op == Op::Created) {
        (true, true) => ServerFrame::MessageCreated(MessageCreatedFrame { id, data }),
        (true, false) => ServerFrame::MessageUpdated(MessageUpdatedFrame { id, data }),
        (false, true) => ServerFrame::NotificationCreated(NotificationCreatedFrame { id, data }),
        (false, false) => ServerFrame::NotificationUpdated(NotificationUpdatedFrame { id, data }),
    })
}

fn changed_frame(change: &Change) -> ServerFrame {
    let data = RecordChanged {
        kind: change.kind.clone(),
        record_id: Uuid::from_bytes(change.id),
        version: change.version,
        op: change.op.into(),
        member_id: change.actor.member(),
    };
    ServerFrame::RecordChanged(RecordChangedFrame { id: change.seq, data })
}

/// Builds a `resync` frame: the client reads everything again.
pub(super) fn resync_frame(ledger_seq: u64) -> ServerFrame {
    ServerFrame::Resync(ResyncFrame { id: ledger_seq, data: Nothing {} })
}

/// Whether a member receives the changes of a record.
pub(super) fn receives_changes(
    tx: &TenantRead<'_>,
    person: MemberId,
    rule: &AudienceRule,
    id: [u8; 16],
) -> Result<bool> {
    let (right, restricted) = match rule {
        AudienceRule::Holders(right) => (*right, None),
        AudienceRule::HoldersOrRestricted(right, restrict) => (*right, restrict(tx, id, None)?),
        AudienceRule::Owner | AudienceRule::Members(_) => return Ok(false),
    };
    let Some(found) = ActiveMember::find(tx, person)? else { return Ok(false) };
    let has = |right: Permission| found.member.role.has(right);
    Ok(match restricted {
        None => has(right),
        Some(to) => to.people.contains(&person) || to.holders.is_some_and(has),
    })
}

/// Returns a right as a bit; there are at most 64 rights.
fn right_bit(right: Permission) -> u64 {
    Permission::ALL.iter().position(|one| *one == right).map_or(0, |position| 1 << position)
}

/// Serializes a frame.
pub(super) fn encode(frame: &ServerFrame) -> Bytes {
    serde_json::to_vec(frame).unwrap_or_default().into()
}

fn log_error(error: &Error) {
    tracing::error!(detail = ?error, "live: building frames failed");
}

impl FrameSource for FrameBuilder {
    fn build_frames(&self, tenant: TenantId, changes: &[&Change]) -> Vec<OutgoingFrame> {
        self.try_build_frames(tenant, changes).unwrap_or_else(|error| {
            log_error(&error);
            let ledger_seq = changes.last().map_or(0, |change| change.seq);
            vec![OutgoingFrame { ledger_seq, to: Audience::Holders(u64::MAX), text: encode(&resync_frame(ledger_seq)) }]
        })
    }

    fn session_impact(&self, change: &Change) -> SessionImpact {
        match change.kind.as_str() {
            <MemberRecord as Record>::KIND => SessionImpact::Member(Id::from_bytes(change.id)),
            <Company as Record>::KIND => SessionImpact::Tenant,
            _ => SessionImpact::None,
        }
    }

    fn rights(&self, tenant: TenantId, person: MemberId) -> u64 {
        let found =
            self.store.snapshot().and_then(|snapshot| ActiveMember::find(&snapshot.tenant(tenant, None), person));
        let role = found.inspect_err(log_error).ok().flatten().map(|found| found.member.role);
        let held = Permission::ALL.iter().filter(|right| role.is_some_and(|role| role.has(**right)));
        held.fold(0, |rights, right| rights | right_bit(*right))
    }

    fn status(&self, tenant: TenantId, person: MemberId, state: Option<PresenceState>) -> Option<&'static str> {
        let found =
            self.store.snapshot().and_then(|snapshot| ActiveMember::find(&snapshot.tenant(tenant, None), person));
        let status =
            found.inspect_err(log_error).ok().flatten().map(|found| visible_status(found.member.status, state));
        status.filter(|status| *status != Status::NotVisible).map(Status::as_str)
    }

    fn presence_frame(&self, ledger_seq: u64, person: MemberId, status: Option<&'static str>) -> Bytes {
        let data = frames::Presence { member_id: person, status: Status::named(status) };
        encode(&ServerFrame::Presence(PresenceFrame { id: ledger_seq, data }))
    }

    fn presence_all_frame(&self, ledger_seq: u64, visible: &[(MemberId, &'static str)]) -> Bytes {
        let presence = |(person, status): &(MemberId, &'static str)| frames::Presence {
            member_id: *person,
            status: Status::named(Some(status)),
        };
        let data = PresenceAll { members: visible.iter().map(presence).collect() };
        encode(&ServerFrame::PresenceAll(PresenceAllFrame { id: ledger_seq, data }))
    }

    fn sees_record(&self, tenant: TenantId, person: MemberId, kind: &str, id: [u8; 16]) -> bool {
        let Some(rule) = self.kinds.get(kind) else { return false };
        let snapshot = self.store.snapshot();
        // A record that cannot be read is shown to no one.
        snapshot
            .and_then(|snapshot| receives_changes(&snapshot.tenant(tenant, None), person, rule, id))
            .unwrap_or(false)
    }

    fn editors_frame(&self, ledger_seq: u64, kind: &str, id: [u8; 16], people: &[MemberId]) -> Bytes {
        let data =
            RecordEditors { kind: kind.to_owned(), record_id: Uuid::from_bytes(id), member_ids: people.to_vec() };
        encode(&ServerFrame::RecordEditors(RecordEditorsFrame { id: ledger_seq, data }))
    }
}
