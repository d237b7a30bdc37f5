//! What is left behind by what happens to members: the entry in the record, and word to the administrators.

use std::net::IpAddr;

use crate::{
    access::{
        audit::{self, Event},
        members::{Company, MemberRecord, MemberState},
        permission::Role,
    },
    features::{
        notices::{
            Notice,
            rules::{self, To},
        },
        notifications::Notifications,
    },
    kernel::{Id, MemberId, Result, text::escape, words::say},
    store::{Stored, TenantWrite},
};

/// Notes what happened to a member.
///
/// # Errors
/// `busy` or `internal` when it cannot be kept.
pub fn note(tx: &TenantWrite<'_>, event: Event, from: Option<IpAddr>) -> Result<()> {
    audit::note(
        tx,
        match from {
            Some(address) => event.from(address.to_string()),
            None => event,
        },
    )
}

/// Notes how a member was changed; nothing for a change that changes nothing. Who was made to run the company is
/// told of to the others who do.
///
/// # Errors
/// As `note`.
pub fn note_change(
    tx: &TenantWrite<'_>,
    before: &Stored<MemberRecord>,
    after: &Stored<MemberRecord>,
    from: Option<IpAddr>,
) -> Result<()> {
    if before.state != after.state {
        let word = if after.state == MemberState::Active { "member.reactivated" } else { "member.suspended" };
        note(tx, Event::new(word).of(after), from)?;
    }
    if before.role != after.role {
        let event = Event::new("member.role").of(after).with("was", before.role.as_str());
        note(tx, event.with("role", after.role.as_str()), from)?;
        if after.role >= Role::Admin && before.role < after.role {
            let word = if after.role == Role::Owner { "made_owner" } else { "made_admin" };
            tell(tx, word, &[("name", after.name.clone())], after.id)?;
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
    note(tx, Event::new("member.changed").of(after).with("fields", changed.join(", ")), from)
}

/// Tells those who run the company, and whom it is about, each in their own language; not the one who does it.
///
/// # Errors
/// `busy` or `internal` when it cannot be kept.
pub fn tell(tx: &TenantWrite<'_>, word: &str, gaps: &[(&'static str, String)], about: Id<MemberRecord>) -> Result<()> {
    let company = Company::of(tx)?;
    let mut people: Vec<Stored<MemberRecord>> = Vec::new();
    tx.each::<MemberRecord>(|member| {
        let concerned = member.role >= Role::Admin || member.id == about;
        if concerned && member.state == MemberState::Active && Some(member.id.cast()) != tx.actor().member() {
            people.push(member);
        }
        Ok(())
    })?;
    let gaps: Vec<(&'static str, String)> = gaps.iter().map(|(name, value)| (*name, escape(value))).collect();
    for person in people {
        let locale = person.reads(&company);
        let whose = if person.id == about { "you" } else { "others" };
        let words = |part: &str| Some(say(locale, &format!("server.team.{word}.{whose}.{part}"), &gaps));
        let notice = Notice::<Notifications> {
            icon: Some("users".to_owned()),
            title: words("title"),
            description: words("description"),
            link: Some(format!("/team/list?member={about}")),
            use_router: true,
            ..Notice::new(tx.now())
        };
        let to: MemberId = person.id.cast();
        rules::send(tx, notice, &To::Members(vec![to]))?;
    }
    Ok(())
}
