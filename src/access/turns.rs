//! The turns of companies: so many of a company's requests are worked on at a time and so many more wait in line,
//! so that none takes all that there is. A company without requests under way is not remembered.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::{sync::oneshot, task::yield_now};

use crate::{
    config::Limits,
    kernel::{Code, Error, MemberId, Result, TenantId},
};

/// Calls that are remembered, to know who asks for more than all others together.
const REMEMBERED: usize = 32;

/// What a turn is for. One does not take another's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lane {
    /// Calls.
    Calls,
    /// Uploads, which may come as slowly as their senders' lines are: they hold up no other call. None waits,
    /// since its sender would be found to be slow meanwhile.
    Uploads,
    /// Uploads of one member, who has a quarter of their company's.
    UploadsOf(MemberId),
    /// Lists, figures and other work done beside the threads that serve requests. Only calls come here, so that
    /// their turns bound how many wait.
    Looks,
    /// Searches, which take turns with those of other companies, too. What bounds lists bounds them.
    Searches,
    /// Calls of a company that asks for more than all others together, which begin one by one.
    Steps,
}

/// How many turns a lane has, and how many may wait for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Room {
    turns: usize,
    line: usize,
}

/// Who has turns and who waits for one, of all companies. Clones are the same.
#[derive(Clone)]
pub(super) struct Turns(Arc<Inside>);

struct Inside {
    /// Turns of a company; 0 is no limit.
    calls: usize,
    /// Threads beside those that serve requests that one company may keep busy.
    beside: usize,
    lines: Mutex<HashMap<(TenantId, Lane), Line>>,
    /// Whose the last calls were.
    recent: Mutex<VecDeque<TenantId>>,
}

/// The turns that are taken in a lane of a company, and who waits for one, the first to come first.
#[derive(Default)]
struct Line {
    taken: usize,
    waiting: VecDeque<oneshot::Sender<Turn>>,
}

/// A turn, given back when it is dropped.
pub(super) struct Turn {
    turns: Turns,
    whose: (TenantId, Lane),
}

/// What somebody who asks for a turn gets.
enum Asked {
    Turn,
    Place(oneshot::Receiver<Turn>),
    Nothing,
}

impl Turns {
    /// Nobody's, on a machine with so many cores.
    ///
    /// A company has at most a quarter of all turns of the installation, as many wait for one, and as many are
    /// taken by its uploads: so some are left for others whatever it does.
    pub(super) fn new(limits: &Limits, cores: usize) -> Self {
        let calls = limits.requests_per_company.min((limits.requests / 4).max(1));
        let recent = Mutex::new(VecDeque::with_capacity(REMEMBERED));
        Self(Arc::new(Inside { calls, beside: cores, lines: Mutex::default(), recent }))
    }

    /// A turn for a company, after those who asked for one before; none where there is no limit.
    ///
    /// # Errors
    /// `slow_down` when as many wait as may.
    pub(super) async fn take(&self, tenant: TenantId, lane: Lane) -> Result<Option<Turn>> {
        let whose = (tenant, lane);
        let Some(room) = self.room(lane) else { return Ok(None) };
        match self.ask(whose, room) {
            Asked::Turn => Ok(Some(Turn { turns: self.clone(), whose })),
            Asked::Place(place) => place.await.map(Some).map_err(Error::internal),
            Asked::Nothing => Err(Error::new(Code::SlowDown).say("errors.company_busy", Vec::new()).retry_after(1)),
        }
    }

    /// Notes a call of a company. Whether it asked for more than all others together, of late.
    fn is_loud(&self, tenant: TenantId) -> bool {
        let mut recent = self.0.recent.lock().unwrap_or_else(PoisonError::into_inner);
        if recent.len() == REMEMBERED {
            recent.pop_front();
        }
        recent.push_back(tenant);
        let own = recent.iter().filter(|one| **one == tenant).count();
        let others = recent.len() - own;
        own > others && others > 0
    }

    /// Lets all others go first who can be worked on now. Most calls are done as soon as they are looked at: without
    /// this the one who asks most often would be served most often, however few turns it has.
    async fn give_way(&self, tenant: TenantId) -> Result<()> {
        let _step = self.take(tenant, Lane::Steps).await?;
        yield_now().await;
        Ok(())
    }

    fn room(&self, lane: Lane) -> Option<Room> {
        let turns = self.0.calls;
        let room = match lane {
            Lane::Calls => Room { turns, line: turns },
            Lane::Uploads => Room { turns, line: 0 },
            Lane::UploadsOf(_) => Room { turns: (turns / 4).max(1), line: 0 },
            Lane::Looks | Lane::Searches => Room { turns: self.0.beside, line: usize::MAX },
            Lane::Steps => Room { turns: 1, line: usize::MAX },
        };
        (turns > 0).then_some(room)
    }

    fn lines(&self) -> MutexGuard<'_, HashMap<(TenantId, Lane), Line>> {
        self.0.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ask(&self, whose: (TenantId, Lane), room: Room) -> Asked {
        let mut lines = self.lines();
        let line = lines.entry(whose).or_default();
        if line.taken < room.turns {
            line.taken += 1;
            return Asked::Turn;
        }
        if line.waiting.len() >= room.line {
            // Those who went away leave their places only now.
            line.waiting.retain(|one| !one.is_closed());
        }
        if line.waiting.len() >= room.line {
            return Asked::Nothing;
        }
        let (give, place) = oneshot::channel();
        line.waiting.push_back(give);
        Asked::Place(place)
    }

    /// Who has the turn that was given back; nobody when it is over.
    fn next(&self, whose: (TenantId, Lane)) -> Option<oneshot::Sender<Turn>> {
        let mut lines = self.lines();
        let line = lines.get_mut(&whose)?;
        while let Some(next) = line.waiting.pop_front() {
            if !next.is_closed() {
                return Some(next);
            }
        }
        line.taken -= 1;
        if line.taken == 0 {
            lines.remove(&whose);
        }
        None
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(next) = self.turns.next(self.whose) {
            // Whoever went away in this moment gives it back in turn.
            drop(next.send(Self { turns: self.turns.clone(), whose: self.whose }));
        }
    }
}

/// Put into a request by the edge: keeps the turn of the caller's company, which is known only when the caller is,
/// until the answer is made. A request without it takes none.
#[derive(Clone)]
pub struct Kept(Arc<(Lane, Mutex<Vec<Turn>>)>);

impl Kept {
    /// For a request that takes its turn in this lane.
    #[must_use]
    pub fn new(lane: Lane) -> Self {
        Self(Arc::new((lane, Mutex::default())))
    }

    /// Takes the turn of a company, and of the member whose upload it is, unless the request has it already: one is
    /// enough, however often it says who asks.
    ///
    /// # Errors
    /// As [`Turns::take`].
    pub(super) async fn take(&self, turns: &Turns, tenant: TenantId, member: MemberId) -> Result<()> {
        let (lane, kept) = &*self.0;
        if !lock(kept).is_empty() {
            return Ok(());
        }
        let own = match lane {
            Lane::Uploads => turns.take(tenant, Lane::UploadsOf(member)).await?,
            _ => None,
        };
        let all = turns.take(tenant, *lane).await?;
        *lock(kept) = own.into_iter().chain(all).collect();
        if turns.is_loud(tenant) {
            turns.give_way(tenant).await?;
        }
        Ok(())
    }
}

fn lock(kept: &Mutex<Vec<Turn>>) -> MutexGuard<'_, Vec<Turn>> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
