//! Creation of tenants, each with its owner and a free slug.

use super::model::{NewTenant, is_reserved};
use crate::{
    features::team::NewMember,
    kernel::{Code, Error, Result, TenantId, text},
    people::{
        members::{self, Company, Credentials, MemberRecord, MemberState},
        permission::Role,
    },
    store::{Actor, Snapshot, Store, Stored, TenantWrite},
};

/// Maximum length of a slug that is derived from a name, in characters.
const LONGEST: usize = 40;
/// Number of slugs that are tried for one tenant.
const TRIES: u32 = 1_000;

/// A new tenant and its owner.
pub struct CreatedTenant {
    /// The tenant's id.
    pub tenant: TenantId,
    /// The company record.
    pub company: Stored<Company>,
    /// The owner.
    pub owner: Stored<MemberRecord>,
}

/// Creates a tenant together with its owner, in one write that also runs `further`.
/// Errors: `invalid` with all faulty fields; `conflict` at `slug` or `domains` when another tenant has it; errors of
/// `further`.
pub async fn create_tenant(
    store: &Store,
    actor: Actor,
    new: NewTenant,
    (hash, state): (String, MemberState),
    further: impl FnOnce(&TenantWrite<'_>, &Stored<Company>, &Stored<MemberRecord>) -> Result<()> + Send + 'static,
) -> Result<CreatedTenant> {
    new.check()?;
    let tenant = store.new_tenant_id()?;
    let work = move |tx: &TenantWrite<'_>| {
        let company = tx.create_at(Company::id(tx.tenant()), new.company())?;
        let owner = NewMember::new(new.owner.name, new.owner.email, Role::Owner);
        let owner = tx.create(owner.into_record_in(state)?)?;
        tx.create_at(owner.id, Credentials { password: hash, changed_at: tx.now() })?;
        further(tx, &company, &owner)?;
        Ok(CreatedTenant { tenant, company, owner })
    };
    Ok(store.write(tenant, actor, work).await?.0)
}

/// Returns a free slug for a tenant's name: its letters and digits, with a number appended when the slug is taken.
/// Errors: `conflict` when all 1,000 candidates are taken.
pub fn free_slug(snapshot: &Snapshot, name: &str) -> Result<String> {
    let base = slug(name);
    let free = |slug: &String| match members::tenant_by_slug(snapshot, slug) {
        Err(error) if error.code() == Code::NotFound => Ok(true),
        other => other.map(|_| false),
    };
    let numbered = (2..=TRIES).map(|number| format!("{base}-{number}"));
    for candidate in [base.clone()].into_iter().chain(numbered) {
        if !is_reserved(&candidate) && free(&candidate)? {
            return Ok(candidate);
        }
    }
    Err(Error::new(Code::Conflict))
}

fn slug(name: &str) -> String {
    let mut slug = String::new();
    for c in text::fold(name).chars().take(200) {
        if c.is_ascii_alphanumeric() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.truncate(LONGEST);
    let slug = slug.trim_matches('-');
    if slug.is_empty() { "company".to_owned() } else { slug.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::slug;

    #[test]
    fn slug_is_derived_from_the_name() {
        for (name, made) in [
            ("Acme Ltd.", "acme-ltd"),
            ("Ferretería  Sol & Hijos", "ferreteria-sol-hijos"),
            ("  -- ", "company"),
            ("株式会社", "company"),
            ("Straße 7", "strasse-7"),
        ] {
            assert_eq!(slug(name), made);
        }
        assert!(slug(&"very long name ".repeat(20)).len() <= 40);
    }
}
