//! Import of a tenant from its file. Until the last write the tenant has the state of one that is being erased: its
//! members cannot sign in, nothing is sent, and the next import or daily round removes what an interrupted import left.

use std::{fs::File, path::PathBuf, sync::Arc, time::Duration};

use tokio::sync::MutexGuard;

use super::{Eraser, notify_admins, temp_file::unusable_file_error};
use crate::{
    features::{
        self,
        files::Names,
        notifications::DeliveryCursor,
        tenants::{self, operator::Tenant},
    },
    kernel::{Error, Result, TenantId, progress::Progress, run_blocking},
    people::{
        audit::{self, Event},
        members::{Company, CompanyState, erasure_marker},
    },
    store::{Actor, ImportReader, LeftOut, PayloadEdit, Record as _, Stored, TenantArchive, TenantWrite},
};

/// Maximum wait for the index before members may sign in and find the search incomplete.
const INDEX_TIMEOUT: Duration = Duration::from_mins(5);

/// The result of an import.
#[derive(Clone, Debug)]
pub struct ImportReport {
    /// The imported tenant.
    pub tenant: Tenant,
    /// Number of records in the file.
    pub records: u64,
    /// Number of uploads in the file.
    pub files: u64,
    /// Records left out because another tenant here has a value that must be unique (a passkey).
    pub left_out: LeftOut,
    /// Host names of the file. They are left out: it may name any.
    pub domains: Vec<String>,
}

/// Imports a tenant from its file, under a new id: it can also be imported beside the original. The whole file is
/// verified before anything is changed. Before its members may sign in, `quiet` is awaited: by then the notifier has
/// skipped the changes that were made elsewhere.
/// Errors: `invalid` at `file` when it cannot be read, is incomplete or comes from a newer version, or at `slug`;
/// `invalid` with the faulty fields of its company; `conflict` at `slug` when another tenant has it; `busy` or `internal` when store or disk fail. Nothing remains then.
pub async fn import(
    eraser: &Eraser,
    place: PathBuf,
    slug: Option<String>,
    progress: &Progress,
    quiet: impl Future<Output = Result<()>> + Send,
) -> Result<ImportReport> {
    if let Some(slug) = &slug {
        tenants::check_slug(slug)?;
    }
    let guard = eraser.lock().await;
    let _still = eraser.file_store.prevent_garbage_collection().await;
    let (archive, is_taken) = verify(eraser, place, progress).await?;
    eraser.clear_up(&guard).await?;
    let tenant = eraser.store.new_tenant_id()?;
    let root = archive.root::<Company>(tenant)?;
    check_root(&root, slug.as_deref())?;
    let names = Names::new(&eraser.file_store, tenant, is_taken);
    begin(eraser, tenant, root.clone(), slug).await?;
    let records = archive.records();
    let files = archive.files();
    let brought = async {
        let (left_out, place) = fill(eraser, tenant, archive.begin_import()?, &names).await?;
        quiet.await?;
        let (company, domains) = open(eraser, tenant, root, &names, place).await?;
        Ok(ImportReport { tenant: Tenant { id: tenant, company }, records, files, left_out, domains })
    };
    match brought.await {
        Ok(imported) => Ok(imported),
        Err(error) => {
            erase_unfinished(eraser, &guard, tenant).await;
            Err(error)
        }
    }
}

/// Verifies the whole file. Also returns whether any of its uploads has an id that is taken here.
async fn verify(eraser: &Eraser, place: PathBuf, progress: &Progress) -> Result<(TenantArchive, bool)> {
    let snapshot = eraser.store.snapshot()?;
    let progress = progress.clone();
    let work = move || {
        let file = File::open(&place).map_err(|error| unusable_file_error(&place, &error))?;
        let mut taken = false;
        let archive = TenantArchive::verify(file, features::TABLES, &progress, |media| {
            taken |= Names::is_taken(&snapshot, media)?;
            Ok(())
        })?;
        Ok((archive, taken))
    };
    run_blocking(work).await
}

/// Checks the company of an archive, which may be anyone's, as a new one is checked.
/// Errors: `invalid` with every faulty field.
fn check_root(root: &Company, slug: Option<&str>) -> Result<()> {
    let company = Company { slug: slug.unwrap_or(&root.slug).to_owned(), domains: Vec::new(), ..root.clone() };
    tenants::check(&company)?;
    tenants::check_slug(&company.slug)
}

/// Creates the closed tenant, which reserves its slug.
async fn begin(eraser: &Eraser, tenant: TenantId, mut company: Stored<Company>, slug: Option<String>) -> Result<()> {
    company.value = Company {
        slug: slug.unwrap_or(company.value.slug),
        domains: Vec::new(),
        state: CompanyState::Closed,
        closed_at: Some(erasure_marker()),
        ..company.value
    };
    let work = move |tx: &TenantWrite<'_>| tx.import(&company);
    eraser.store.write(tenant, Actor::Operator, work).await.map(drop)
}

/// Imports uploads, records and change feed. Returns what was left out, and the last sequence number of the feed.
async fn fill(eraser: &Eraser, tenant: TenantId, mut import: ImportReader, names: &Names) -> Result<(LeftOut, u64)> {
    let mut left_out = LeftOut::new();
    let mut place = 0;
    let edit: Arc<PayloadEdit> = {
        let names = names.clone();
        Arc::new(move |table, payload| names.rewrite(table, payload))
    };
    loop {
        let names = names.clone();
        let next = move || {
            let batch = import.next(&mut |media, bytes| names.keep(media, bytes))?;
            Ok::<_, Error>((import, batch))
        };
        let (rest, batch) = run_blocking(next).await?;
        let Some(batch) = batch else { return Ok((left_out, place)) };
        let edit = Arc::clone(&edit);
        let work = move |tx: &TenantWrite<'_>| tx.import_rows(&batch, &*edit);
        let (left, last) = eraser.store.write(tenant, Actor::Operator, work).await?;
        for (kind, count) in left {
            *left_out.entry(kind).or_default() += count;
        }
        (import, place) = (rest, last);
    }
}

/// The last write: opens the tenant in the state that it had before the export. Returns when its members and records
/// are searchable, also with the host names that were left out.
async fn open(
    eraser: &Eraser,
    tenant: TenantId,
    root: Stored<Company>,
    names: &Names,
    place: u64,
) -> Result<(Stored<Company>, Vec<String>)> {
    let names = names.clone();
    let domains = root.domains.clone();
    let work = move |tx: &TenantWrite<'_>| {
        let company = tx.update::<Company>(Company::id(tx.tenant()), None, |company| {
            // A closed tenant gets a new closing time: with the old one it might be erased at once.
            company.closed_at = (root.state == CompanyState::Closed).then(|| tx.now());
            company.state = root.state;
            let links = [&mut company.logotipo_dark, &mut company.logotipo_light, &mut company.support_link];
            for link in links.into_iter().flatten() {
                let mut bytes = std::mem::take(link).into_bytes();
                names.rewrite(Company::TABLE, &mut bytes);
                *link = String::from_utf8(bytes).map_err(Error::internal)?;
            }
            Ok(())
        })?;
        DeliveryCursor { clock: tx.now(), ledger: place }.advance(tx)?;
        audit::write(tx, Event::new("operator.tenant_import").about_company(&company))?;
        let params = vec![("company", company.name.clone())];
        notify_admins(tx, "server.operator.tenant_import", "shield-alert", params, "/settings/company")?;
        Ok(company)
    };
    let (company, last) = eraser.store.write(tenant, Actor::Operator, work).await?;
    if !eraser.engine.wait_until(last, INDEX_TIMEOUT).await {
        tracing::warn!(%tenant, "search: an imported company is not fully indexed yet");
    }
    Ok((company, domains))
}

/// Erases an incomplete import. If that fails, the next import or daily round tries again.
async fn erase_unfinished(eraser: &Eraser, guard: &MutexGuard<'_, ()>, tenant: TenantId) {
    if let Err(error) = eraser.erase_in(guard, tenant, Actor::Operator).await {
        tracing::error!(detail = ?error, %tenant, "import: an unfinished import will be erased later");
    }
}
