//! How a company begins: with its owner, under a name that is free.

use super::model::{NewTenant, is_reserved};
use crate::{
    access::{
        members::{self, Company, Credentials, MemberRecord, MemberState},
        permission::Role,
    },
    features::team::NewMember,
    kernel::{Code, Error, Result, TenantId, text},
    store::{Actor, Snapshot, Store, Stored, TenantWrite},
};

/// Characters of a slug that is made from a name.
const LONGEST: usize = 40;
/// Names that are tried for one company.
const TRIES: u32 = 1_000;

/// What every new company consists of, and who is its owner.
pub struct Founded {
    /// Under which its data lies.
    pub tenant: TenantId,
    /// The company.
    pub company: Stored<Company>,
    /// Its owner.
    pub owner: Stored<MemberRecord>,
}

/// Makes a company together with its owner: both are there, or neither. `further` belongs to the same write.
///
/// # Errors
/// `invalid` with all faulty fields; `conflict` at `slug` or `domains` when another company has it; what `further`
/// returns.
pub async fn found(
    store: &Store,
    actor: Actor,
    new: NewTenant,
    (hash, state): (String, MemberState),
    further: impl FnOnce(&TenantWrite<'_>, &Stored<Company>, &Stored<MemberRecord>) -> Result<()> + Send + 'static,
) -> Result<Founded> {
    new.check()?;
    let tenant = store.new_tenant_id()?;
    let work = move |tx: &TenantWrite<'_>| {
        let company = tx.create_at(Company::id(tx.tenant()), new.company())?;
        let owner = NewMember::new(new.owner.name, new.owner.email, Role::Owner);
        let owner = tx.create(owner.into_record_in(state)?)?;
        tx.create_at(owner.id.cast(), Credentials { password: hash, changed_at: tx.now() })?;
        further(tx, &company, &owner)?;
        Ok(Founded { tenant, company, owner })
    };
    Ok(store.write(tenant, actor, work).await?.0)
}

/// A free slug for a company's name: its letters and digits, with a number behind when others have it.
///
/// # Errors
/// `conflict` when a thousand others have it; `busy` or `internal` when that cannot be read.
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
    fn a_slug_is_what_an_address_can_hold_of_a_name() {
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
