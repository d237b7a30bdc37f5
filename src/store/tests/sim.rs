//! A simulated disk in memory that fails on demand, loses unsynced data and logs all calls.

use std::{
    io,
    sync::{Mutex, MutexGuard},
};

use crate::store::{Disk, DiskSpace};

/// A change to the disk.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    Write(u64, Vec<u8>),
    Length(u64),
    Sync,
    /// Set by a test: the writes so far are acknowledged.
    Mark,
}

/// When and how the disk fails.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fault {
    /// Number of the write, sync or length change that fails, from 1.
    pub(crate) at: u64,
    /// Whether all later calls fail too.
    pub(crate) lasting: bool,
    pub(crate) kind: io::ErrorKind,
}

#[derive(Debug, Default)]
pub(crate) struct State {
    /// The content that reads see.
    pub(crate) bytes: Vec<u8>,
    /// The content that certainly survives a power loss.
    pub(crate) durable: Vec<u8>,
    unsynced: Vec<Event>,
    pub(crate) log: Option<Vec<Event>>,
    pub(crate) fault: Option<Fault>,
    pub(crate) failed: u64,
    calls: u64,
    pub(crate) reads_fail: bool,
    pub(crate) free: Option<u64>,
    pub(crate) reserve: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Sim(Mutex<State>);

impl Sim {
    pub(crate) fn with_bytes(bytes: Vec<u8>) -> Self {
        Self(Mutex::new(State { durable: bytes.clone(), bytes, ..State::default() }))
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    /// Returns the number of writes, syncs and length changes so far.
    pub(crate) fn calls(&self) -> u64 {
        self.state().calls
    }

    pub(crate) fn mark(&self) {
        self.state().log.iter_mut().for_each(|log| log.push(Event::Mark));
    }
}

/// Applies an event to the content.
pub(crate) fn apply(bytes: &mut Vec<u8>, event: &Event) {
    match event {
        Event::Write(offset, data) => {
            let at = usize::try_from(*offset).unwrap();
            if bytes.len() < at + data.len() {
                bytes.resize(at + data.len(), 0);
            }
            bytes[at..at + data.len()].copy_from_slice(data);
        }
        Event::Length(len) => bytes.resize(usize::try_from(*len).unwrap(), 0),
        Event::Sync | Event::Mark => {}
    }
}

impl State {
    fn fails(&mut self) -> Option<io::Error> {
        self.calls += 1;
        let fault = self.fault?;
        let fails = if fault.lasting { self.calls >= fault.at } else { self.calls == fault.at };
        fails.then(|| {
            self.failed += 1;
            io::Error::new(fault.kind, "the disk fails, as the test told it to")
        })
    }

    fn take(&mut self, event: Event) {
        apply(&mut self.bytes, &event);
        self.log.iter_mut().for_each(|log| log.push(event.clone()));
        self.unsynced.push(event);
    }
}

impl Disk for Sim {
    fn len(&self) -> io::Result<u64> {
        Ok(self.state().bytes.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let state = self.state();
        if state.reads_fail {
            return Err(io::Error::other("the disk cannot be read, as the test told it"));
        }
        if out.is_empty() {
            return Ok(());
        }
        let at = usize::try_from(offset).unwrap();
        let bytes = state.bytes.get(at..at + out.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
        out.copy_from_slice(bytes);
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let mut state = self.state();
        state.fails().map_or(Ok(()), Err)?;
        state.take(Event::Length(len));
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut state = self.state();
        if let Some(error) = state.fails() {
            // Half of the data is still written.
            state.take(Event::Write(offset, data[..data.len() / 2].to_vec()));
            return Err(error);
        }
        state.take(Event::Write(offset, data.to_vec()));
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        let mut state = self.state();
        let unsynced = std::mem::take(&mut state.unsynced);
        // A failed sync drops its data, and the next one succeeds without it.
        state.fails().map_or(Ok(()), Err)?;
        for event in &unsynced {
            apply(&mut state.durable, event);
        }
        state.log.iter_mut().for_each(|log| log.push(Event::Sync));
        Ok(())
    }

    fn disk_space(&self) -> io::Result<DiskSpace> {
        let state = self.state();
        Ok(DiskSpace { free: state.free.unwrap_or(u64::MAX).saturating_sub(state.reserve), total: 1 << 40 })
    }

    fn keep_reserve(&self, bytes: u64) -> io::Result<()> {
        self.state().reserve = bytes;
        Ok(())
    }

    fn give_up_reserve(&self) -> io::Result<bool> {
        Ok(std::mem::take(&mut self.state().reserve) > 0)
    }
}
