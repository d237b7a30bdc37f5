//! `atrium tenant list`: lists all companies, also those with a damaged record.

use crate::{
    cli::prelude::*,
    kernel::TenantId,
    people::members::{self, Company, MemberRecord},
    store::Snapshot,
};

/// Returns all tenants by slug; those with a damaged record come last, by id.
pub fn run(context: &Context) -> Result<Vec<TenantShown>> {
    let snapshot = context.store.snapshot()?;
    let tenants = members::tenants(&snapshot)?.into_iter();
    let mut found: Vec<TenantShown> = tenants.map(|id| read(&snapshot, id)).collect::<Result<_>>()?;
    found.sort_by(|a, b| (a.slug.is_empty(), &a.slug, &a.id).cmp(&(b.slug.is_empty(), &b.slug, &b.id)));
    Ok(found)
}

fn read(snapshot: &Snapshot, id: TenantId) -> Result<TenantShown> {
    let tx = snapshot.tenant(id, None);
    if let Some(company) = tx.find_intact(Company::id(id))? {
        return TenantShown::new(snapshot, &Tenant { id, company });
    }
    let members = tx.count::<MemberRecord>()?;
    Ok(TenantShown { id: id.to_string(), state: "damaged".to_owned(), members, ..TenantShown::default() })
}

/// Returns what is printed. A damaged record has only its id.
pub fn text(tenants: &[TenantShown]) -> String {
    table(tenants, "There are no companies yet. `atrium tenant create` creates one.", |tenant| {
        let TenantShown { id, slug, name, state, members, .. } = tenant;
        let slug = if slug.is_empty() { id } else { slug };
        [slug.clone(), name.clone(), state.clone(), members.to_string()]
    })
}
