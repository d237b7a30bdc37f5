//! Audit entries and notifications about changes to members.

use std::net::IpAddr;

use crate::{
    features::notifications::{self, NotificationDraft, NotificationKind, ParamValue},
    kernel::{MemberId, Result},
    people::{
        audit::{self, Event},
        members::{MemberRecord, MemberState},
        permission::Role,
    },
    store::{Stored, TenantWrite},
};

/// Writes an audit entry about a member, with the client's address if there is one.
pub fn note(tx: &TenantWrite<'_>, event: Event, from: Option<IpAddr>) -> Result<()> {
    audit::write(
        tx,
        match from {
            Some(address) => event.from_address(address.to_string()),
            None => event,
        },
    )
}

/// Writes audit entries for the differences between two versions of a member; none when nothing differs. A new
/// administrator or owner, and the other administrators, are notified.
pub fn note_change(
    tx: &TenantWrite<'_>,
    before: &Stored<MemberRecord>,
    after: &Stored<MemberRecord>,
    from: Option<IpAddr>,
) -> Result<()> {
    if before.state != after.state {
        let word = if after.state == MemberState::Active { "member.reactivated" } else { "member.suspended" };
        note(tx, Event::new(word).about_member(after), from)?;
    }
    if before.role != after.role {
        let event = Event::new("member.role").about_member(after).with("was", before.role.as_str());
        note(tx, event.with("role", after.role.as_str()), from)?;
        if after.role >= Role::Admin && before.role < after.role {
            let word = if after.role == Role::Owner { "made_owner" } else { "made_admin" };
            notify(tx, word, &[("name", after.name.clone())], after.id)?;
        }
    }
    let fields = [
        ("name", before.name != after.name),
        ("title", before.title != after.title),
        ("phone", before.phone != after.phone),
        ("about", before.about != after.about),
    ];
    let changed: Vec<&str> = fields.into_iter().filter(|(_, changed)| *changed).map(|(name, _)| name).collect();
    if changed.is_empty() {
        return Ok(());
    }
    note(tx, Event::new("member.changed").about_member(after).with("fields", changed.join(", ")), from)
}

/// Notifies the administrators and the affected member, but not the actor.
pub fn notify(tx: &TenantWrite<'_>, word: &str, params: &[(&'static str, String)], about: MemberId) -> Result<()> {
    let actor = tx.actor().member();
    let mut others = notifications::admins(tx)?;
    others.retain(|admin| *admin != about && Some(*admin) != actor);
    let you: Vec<MemberId> = Some(about).filter(|about| Some(*about) != actor).into_iter().collect();
    for (people, whose) in [(you, "you"), (others, "others")] {
        let words = format!("server.team.{word}.{whose}");
        let mut draft = NotificationDraft::new(NotificationKind::Security, &words, card(about));
        draft.icon = "users";
        draft.params = params.iter().map(|(name, value)| (*name, ParamValue::Text(value.clone()))).collect();
        notifications::notify(tx, &people, &draft)?;
    }
    Ok(())
}

/// Notifies the administrators, and the member who sent the invitation, that a member has joined.
pub fn joined(tx: &TenantWrite<'_>, member: &Stored<MemberRecord>) -> Result<()> {
    let mut people = notifications::admins(tx)?;
    people.extend(member.created_by);
    people.retain(|person| *person != member.id);
    let draft =
        NotificationDraft::new(NotificationKind::MemberJoined, "server.notifications.member_joined", card(member.id));
    notifications::notify(tx, &people, &draft.with_text("name", &member.name).with_text("email", &member.email))
}

/// Returns the path of a member's card.
fn card(member: MemberId) -> String {
    format!("/team/list?member={member}")
}
