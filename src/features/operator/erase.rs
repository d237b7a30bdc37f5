//! Erasing companies: at the operator's word, thirty days after their owner closed them, and those that nobody
//! ever confirmed. What was begun and cut short is gone on with.

use std::sync::Arc;

use tokio::sync::{Mutex, MutexGuard};

use crate::{
    access::{
        AuthService,
        members::{Company, CompanyState, MemberRecord, MemberState, passing, tenants},
    },
    features::{self, files::FileStore, tenants::closing},
    index::Engine,
    kernel::{Error, Result, TenantId, Timestamp},
    mail::Mailer,
    store::{Actor, Record as _, Snapshot, Store, TenantWrite},
};

const DAY: i64 = 24 * 3_600_000;
/// How long a new company waits for anybody to confirm their address.
const UNCONFIRMED: i64 = DAY;
/// All that holds something of a company. Cheap to clone.
#[derive(Clone)]
pub struct Eraser {
    pub(super) store: Store,
    pub(super) engine: Engine,
    auth: AuthService,
    pub(super) vault: FileStore,
    mailer: Mailer,
    /// Held by whoever erases a company or brings one in: what is half there is theirs meanwhile.
    turn: Arc<Mutex<()>>,
}

impl Eraser {
    /// Of an installation.
    #[must_use]
    pub fn new(store: Store, engine: Engine, auth: AuthService, vault: FileStore, mailer: Mailer) -> Self {
        Self { store, engine, auth, vault, mailer, turn: Arc::default() }
    }

    /// Erases a company: its records, its uploads, its letters, and what search knows of it.
    ///
    /// # Errors
    /// `busy` or `internal` when store, index or disk fail; the company is closed then, and the next daily round
    /// goes on.
    pub async fn erase(&self, tenant: TenantId, actor: Actor) -> Result<()> {
        let turn = self.turn().await;
        self.erase_in(&turn, tenant, actor).await
    }

    /// Waits until nobody else erases a company or brings one in.
    pub(super) async fn turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().await
    }

    /// The same as [`Eraser::erase`], in a turn that has begun.
    pub(super) async fn erase_in(&self, _turn: &MutexGuard<'_, ()>, tenant: TenantId, actor: Actor) -> Result<()> {
        // From here on nobody of them comes in, and whoever looks sees that it has begun.
        let begin = move |tx: &TenantWrite<'_>| {
            let company = Company::of(tx)?;
            if company.is_passing() {
                return Ok(());
            }
            tx.update(Company::id(tenant), None, |company| {
                (company.state, company.closed_at) = (CompanyState::Closed, Some(passing()));
                Ok(())
            })
            .map(drop)
        };
        self.store.write(tenant, actor, begin).await?;
        {
            let snapshot = self.store.snapshot()?;
            let tx = snapshot.tenant(tenant, None);
            self.mailer.forget(&tx)?;
            tx.each::<MemberRecord>(|member| {
                self.auth.sessions().forget_all(tenant, member.id.cast());
                Ok(())
            })?;
        }
        self.store.erase(tenant, features::ROOT).await?;
        let engine = self.engine.clone();
        tokio::task::spawn_blocking(move || {
            // In one turn with nobody who may have read the records before they went.
            let _turn = engine.turn();
            engine.erase(tenant, features::searchables().map(|known| known.kind))?;
            engine.commit()
        })
        .await
        .map_err(Error::internal)?
        .map_err(Error::internal)?;
        self.vault.erase(tenant).await?;
        self.store.erase_root(tenant, features::ROOT).await
    }

    /// Erases the companies whose time has come. Answers with how many there were.
    ///
    /// # Errors
    /// As [`Eraser::erase`]; those that were not reached wait for the next time.
    pub async fn round(&self) -> Result<usize> {
        let turn = self.turn().await;
        let due = due(&self.store.snapshot()?, self.store.clock().now())?;
        for tenant in &due {
            self.erase_in(&turn, *tenant, Actor::System).await?;
        }
        Ok(due.len())
    }

    /// Goes on with what was begun and cut short, be it erasing a company or bringing one in.
    ///
    /// # Errors
    /// As [`Eraser::erase`].
    pub(super) async fn clear_up(&self, turn: &MutexGuard<'_, ()>) -> Result<()> {
        let snapshot = self.store.snapshot()?;
        for tenant in tenants(&snapshot)? {
            let company = snapshot.tenant(tenant, None).find_intact(Company::id(tenant))?;
            if company.is_some_and(|company| company.is_passing()) {
                self.erase_in(turn, tenant, Actor::System).await?;
            }
        }
        Ok(())
    }
}

/// The companies that are to be erased now.
fn due(snapshot: &Snapshot, now: Timestamp) -> Result<Vec<TenantId>> {
    let mut due = Vec::new();
    for tenant in tenants(snapshot)? {
        let tx = snapshot.tenant(tenant, None);
        // Of a damaged one it is not known: it stays.
        let Some(company) = tx.find_intact(Company::id(tenant))? else { continue };
        if closing::erased_at(&company).is_some_and(|at| now >= at) {
            due.push(tenant);
            continue;
        }
        if now.millis() - company.created_at.millis() < UNCONFIRMED {
            continue;
        }
        let (mut anybody, mut confirmed) = (false, false);
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
