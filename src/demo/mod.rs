//! Demo data: two tenants with members, customers, tasks, pages and conversations, as if they had used Atrium for a
//! year. All data is created through the product's own rules; only its dates are invented.

mod apply;
mod fixtures;
mod generator;
#[cfg(test)]
mod tests;

use self::{apply::Applier, fixtures::Script, generator::Plan};
use crate::{
    access::passwords::Passwords,
    features::{
        team,
        tenants::{NewTenant, Owner, operator},
    },
    kernel::{Entropy, Error, Result},
    people::members::Credentials,
    store::{Actor, Snapshot, Store, TenantWrite},
};

/// The password of all members in the demo data.
pub const PASSWORD: &str = "a tour of atrium";

/// A sign-in to the demo data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignIn {
    /// The tenant's name.
    pub company: String,
    /// The owner's name.
    pub name: String,
    /// The owner's e-mail address.
    pub email: String,
}

/// Fills an empty store with the demo tenants. A store with any tenant is left unchanged.
pub async fn fill(store: &Store, passwords: &Passwords) -> Result<()> {
    if !operator::list(&store.snapshot()?)?.is_empty() {
        return Ok(());
    }
    for (seed, script) in (2026..).zip(fixtures::load_all()?) {
        let [owner, ..] = script.members.as_slice() else { return Err(Error::internal("a company without people")) };
        let new = NewTenant {
            slug: script.slug.clone(),
            name: script.name.clone(),
            color_scheme: Some(script.color_scheme.clone()),
            layout: Some(script.layout.clone()),
            locale: Some(script.locale.clone()),
            timezone: Some(script.timezone.clone()),
            region: script.region(),
            domains: Vec::new(),
            owner: Owner { name: owner.name.clone(), email: owner.email.clone() },
        };
        let (tenant, owner) = operator::create(store, passwords, new, PASSWORD.to_owned()).await?;
        let kept = store.snapshot()?.tenant(tenant.id, None).get::<Credentials>(owner.id)?;
        // Hashing is slow on purpose, so all members share the owner's hash, and with it the password.
        let hash = kept.value.password;
        let play = move |tx: &TenantWrite<'_>| {
            let plan = Plan::of(&script, tx.now(), Entropy::seeded(seed));
            Applier::set(tx, &script, &owner, &hash)?.play(&plan)
        };
        store.write(tenant.id, Actor::System, play).await?;
    }
    Ok(())
}

/// Returns the sign-ins to the demo tenants in the store.
pub fn sign_ins(snapshot: &Snapshot) -> Result<Vec<SignIn>> {
    let mut found = Vec::new();
    for Script { slug, members, .. } in fixtures::load_all()? {
        let Ok(tenant) = operator::show(snapshot, &slug) else { continue };
        let owner = members.first().map(|owner| team::rules::by_email(&snapshot.tenant(tenant.id, None), &owner.email));
        if let Some(Ok(owner)) = owner {
            found.push(SignIn { company: tenant.company.value.name, name: owner.value.name, email: owner.value.email });
        }
    }
    Ok(found)
}
