//! An in-memory disk.

use std::{io, sync::Mutex};

use crate::store::Disk;

/// An in-memory disk, which can be copied at any moment.
#[derive(Debug, Default)]
pub(super) struct Memory(pub(super) Mutex<Vec<u8>>);

impl Memory {
    pub(super) fn copy(&self) -> Vec<u8> {
        self.0.lock().unwrap().clone()
    }
}

impl Disk for Memory {
    fn len(&self) -> io::Result<u64> {
        Ok(self.0.lock().unwrap().len() as u64)
    }
    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let bytes = self.0.lock().unwrap();
        let at = usize::try_from(offset).unwrap();
        let part = bytes.get(at..at + out.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
        out.copy_from_slice(part);
        Ok(())
    }
    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.lock().unwrap().resize(usize::try_from(len).unwrap(), 0);
        Ok(())
    }
    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let at = usize::try_from(offset).unwrap();
        self.0.lock().unwrap()[at..at + data.len()].copy_from_slice(data);
        Ok(())
    }
    fn sync(&self) -> io::Result<()> {
        Ok(())
    }
}
