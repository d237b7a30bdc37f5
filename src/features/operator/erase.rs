//! Erasure of tenants: on the operator's command, thirty days after their owner closed them, or a day after their
//! creation if no member confirmed an address. Interrupted erasures are continued.

use std::sync::Arc;

use tokio::sync::{Mutex, MutexGuard};

use crate::{
    access::AuthService,
    features::{self, files::FileStore, tenants::closing},
    index::Engine,
    kernel::{Error, Result, TenantId, Timestamp},
    mail::Mailer,
    people::members::{Company, CompanyState, MemberRecord, MemberState, erasure_marker, tenants},
    store::{Actor, Record as _, Snapshot, Store, TenantWrite},
};

const DAY_MS: i64 = 24 * 3_600_000;
/// Time within which a member of a new tenant must confirm their address.
const UNCONFIRMED_MS: i64 = DAY_MS;
/// Erases tenants from the store, the index, the files and the outgoing e-mail. Cheap to clone.
#[derive(Clone)]
pub struct Eraser {
    pub(super) store: Store,
    pub(super) engine: Engine,
    auth: AuthService,
    pub(super) file_store: FileStore,
    mailer: Mailer,
    /// Locked while a tenant is erased or imported: the lock's holder owns all incomplete tenants.
    lock: Arc<Mutex<()>>,
}

impl Eraser {
    /// Creates the eraser of an installation.
    pub fn new(store: Store, engine: Engine, auth: AuthService, file_store: FileStore, mailer: Mailer) -> Self {
        Self { store, engine, auth, file_store, mailer, lock: Arc::default() }
    }

    /// Erases a tenant: its records, its uploads, its e-mails and its documents in the index.
    /// Errors: `busy` or `internal` when store, index or disk fail; the tenant is closed then, and the next daily round
    /// continues.
    pub async fn erase(&self, tenant: TenantId, actor: Actor) -> Result<()> {
        let guard = self.lock().await;
        self.erase_in(&guard, tenant, actor).await
    }

    /// Waits for the lock on erasures and imports.
    pub(super) async fn lock(&self) -> MutexGuard<'_, ()> {
        self.lock.lock().await
    }

    /// Erases a tenant like [`Eraser::erase`], with the lock held.
    pub(super) async fn erase_in(&self, _guard: &MutexGuard<'_, ()>, tenant: TenantId, actor: Actor) -> Result<()> {
        // From here on its members are refused, and the state shows that the erasure has begun.
        let begin = move |tx: &TenantWrite<'_>| {
            let company = Company::of(tx)?;
            if company.is_being_erased_or_imported() {
                return Ok(());
            }
            tx.update::<Company>(Company::id(tenant), None, |company| {
                (company.state, company.closed_at) = (CompanyState::Closed, Some(erasure_marker()));
                Ok(())
            })
            .map(drop)
        };
        self.store.write(tenant, actor, begin).await?;
        {
            let snapshot = self.store.snapshot()?;
            let tx = snapshot.tenant(tenant, None);
            self.mailer.remove_files(&tx)?;
            tx.each::<MemberRecord>(|member| {
                self.auth.sessions().forget_all(tenant, member.id);
                Ok(())
            })?;
        }
        self.store.erase(tenant, features::ROOT).await?;
        let engine = self.engine.clone();
        tokio::task::spawn_blocking(move || {
            // Excludes an index writer that read the records before they were erased.
            let _lock = engine.lock_feed_position();
            engine.erase(tenant, features::searchables().map(|known| known.kind))?;
            engine.commit()
        })
        .await
        .map_err(Error::internal)?
        .map_err(Error::internal)?;
        self.file_store.erase(tenant).await?;
        self.store.erase_root(tenant, features::ROOT).await
    }

    /// Erases the tenants that are due. Returns their number.
    pub async fn erase_due(&self) -> Result<usize> {
        let guard = self.lock().await;
        let due = find_due(&self.store.snapshot()?, self.store.clock().now())?;
        for tenant in &due {
            self.erase_in(&guard, *tenant, Actor::System).await?;
        }
        Ok(due.len())
    }

    /// Completes interrupted erasures, and erases what interrupted imports left.
    pub(super) async fn clear_up(&self, guard: &MutexGuard<'_, ()>) -> Result<()> {
        let snapshot = self.store.snapshot()?;
        for tenant in tenants(&snapshot)? {
            let company = snapshot.tenant(tenant, None).find_intact::<Company>(Company::id(tenant))?;
            if company.is_some_and(|company| company.is_being_erased_or_imported()) {
                self.erase_in(guard, tenant, Actor::System).await?;
            }
        }
        Ok(())
    }
}

/// Returns the tenants that are due for erasure.
fn find_due(snapshot: &Snapshot, now: Timestamp) -> Result<Vec<TenantId>> {
    let mut due = Vec::new();
    for tenant in tenants(snapshot)? {
        let tx = snapshot.tenant(tenant, None);
        // Unknown for a tenant whose record is damaged: it stays.
        let Some(company) = tx.find_intact::<Company>(Company::id(tenant))? else { continue };
        if closing::erased_at(&company).is_some_and(|at| now >= at) {
            due.push(tenant);
            continue;
        }
        if now.millis() - company.created_at.millis() < UNCONFIRMED_MS {
            continue;
        }
        let mut anybody = false;
        let mut confirmed = false;
        tx.each::<MemberRecord>(|member| {
            anybody = true;
            confirmed |= member.state != MemberState::Unconfirmed;
            Ok(())
        })?;
        if anybody && !confirmed {
            due.push(tenant);
        }
    }
    Ok(due)
}
