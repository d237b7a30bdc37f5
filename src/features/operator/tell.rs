//! Telling a company's admins what happened without them.

use crate::{
    access::{
        members::{Company, MemberRecord, MemberState},
        permission::Role,
    },
    features::{
        notices::{Notice, rules},
        notifications::Notifications,
    },
    kernel::{Result, text::escape, words::say},
    store::TenantWrite,
};

/// A notification in the making.
pub struct Told {
    /// The icon's name.
    pub icon: &'static str,
    /// The key under which `title` and `description` stand.
    pub key: &'static str,
    /// What is filled into them, as plain text.
    pub gaps: Vec<(&'static str, String)>,
    /// Where it leads.
    pub link: &'static str,
}

/// Notifies every active admin and owner, each in their language.
///
/// # Errors
/// `busy` or `internal` when it cannot be kept.
pub fn tell_admins(tx: &TenantWrite<'_>, told: &Told) -> Result<()> {
    let company = Company::of(tx)?;
    let mut admins = Vec::new();
    tx.each::<MemberRecord>(|member| {
        if member.state == MemberState::Active && member.role >= Role::Admin {
            admins.push((member.id, member.reads(&company)));
        }
        Ok(())
    })?;
    // What goes into the gaps comes from people, and a notice is HTML.
    let gaps: Vec<_> = told.gaps.iter().map(|(name, value)| (*name, escape(value))).collect();
    for (admin, locale) in admins {
        let words = |part: &str| Some(say(locale, &format!("{}.{part}", told.key), &gaps));
        let notice = Notice::<Notifications> {
            icon: Some(told.icon.to_owned()),
            title: words("title"),
            description: words("description"),
            link: Some(told.link.to_owned()),
            use_router: true,
            ..Notice::new(tx.now())
        };
        rules::send(tx, notice, &rules::To::Members(vec![admin.cast()]))?;
    }
    Ok(())
}
