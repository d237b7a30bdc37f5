//! Reading archives: every part is verified before it is passed on.

use std::io::{self, Read};

use flate2::read::DeflateDecoder;
use serde::de::DeserializeOwned;

use super::{
    BYTES, END, FILE, FileHead, MAGIC, MAX_FRAME_BYTES, MAX_RATIO, PACKED_ROWS, ROWS, TITLE, Title, Trailer, VERSION,
    damaged_archive, foreign_archive, frame_sum, newer_archive,
};
use crate::{
    kernel::{Code, Error, Result},
    store::{codec::decode, errors::disk_error, format::FORMAT},
};

/// A part of an archive.
pub(in crate::store) enum Part {
    Rows(Vec<u8>),
    /// The file's content follows: [`Parts::bytes`].
    File(FileHead),
    End(Trailer),
}

/// Reads and verifies an archive part by part.
pub(in crate::store) struct Parts<R> {
    from: R,
    place: u64,
    found: Trailer,
}

impl<R: Read> Parts<R> {
    /// Reads the magic bytes and the title.
    /// Errors: `invalid` at `file` when it is not an archive, or one of a newer version; `busy` when it cannot be read.
    pub(in crate::store) fn begin(from: R) -> Result<(Self, Title)> {
        let mut parts = Self { from, place: 0, found: Trailer::default() };
        let mut magic = [0; MAGIC.len() + 1];
        let short = |error: io::Error| match error.kind() {
            io::ErrorKind::UnexpectedEof => foreign_archive("it is too short"),
            _ => disk_error(error),
        };
        parts.from.read_exact(&mut magic).map_err(short)?;
        match magic.split_last() {
            Some((&VERSION, begin)) if begin == MAGIC => {}
            Some((version, begin)) if begin == MAGIC && *version > VERSION => {
                return Err(newer_archive(format_args!("archives of version {version}")));
            }
            _ => return Err(foreign_archive("it does not begin like an archive")),
        }
        let (TITLE, payload) = parts.frame()? else { return Err(damaged_archive("it has no title")) };
        let title: Title = read(&payload)?;
        if title.format > FORMAT {
            return Err(newer_archive(format_args!(
                "the store had format {}, this Atrium knows {FORMAT}",
                title.format
            )));
        }
        Ok((parts, title))
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<()> {
        self.from.read_exact(bytes).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => damaged_archive("it ends early"),
            io::ErrorKind::InvalidData => damaged_archive(&error.to_string()),
            _ => disk_error(error),
        })
    }

    fn frame(&mut self) -> Result<(u8, Vec<u8>)> {
        let mut kind = [0; 1];
        let mut len = [0; 4];
        let mut sum = [0; 8];
        self.fill(&mut kind)?;
        self.fill(&mut len)?;
        self.fill(&mut sum)?;
        let len = usize::try_from(u32::from_be_bytes(len)).map_err(Error::internal)?;
        if len > MAX_FRAME_BYTES {
            return Err(damaged_archive("a part of impossible size"));
        }
        let mut payload = vec![0; len];
        self.fill(&mut payload)?;
        if sum != frame_sum(kind[0], self.place, &payload) {
            return Err(damaged_archive("a part is damaged"));
        }
        self.place += 1;
        Ok((kind[0], payload))
    }

    /// Reads the next part. The content of a file must be read completely before the next part.
    /// Errors: `invalid` at `file` when the archive is truncated, damaged or has data after its end; `busy` when it
    /// cannot be read.
    pub(in crate::store) fn next(&mut self) -> Result<Part> {
        let (kind, payload) = match self.frame()? {
            (PACKED_ROWS, packed) => (ROWS, unpack(&packed)?),
            frame => frame,
        };
        match kind {
            ROWS => {
                each_row(&payload, |key, value| {
                    self.found.add(key, value);
                    Ok(())
                })?;
                Ok(Part::Rows(payload))
            }
            FILE => {
                let head: FileHead = read(&payload)?;
                self.found.add_file(&head);
                Ok(Part::File(head))
            }
            END => {
                let trailer: Trailer = read(&payload)?;
                if trailer != self.found {
                    return Err(damaged_archive("it holds other rows or files than it says"));
                }
                match self.from.read(&mut [0]) {
                    Ok(0) => Ok(Part::End(trailer)),
                    Ok(_) => Err(damaged_archive("it goes on after its end")),
                    Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                        Err(damaged_archive(&error.to_string()))
                    }
                    Err(error) => Err(disk_error(error)),
                }
            }
            _ => Err(damaged_archive("a part of unknown kind")),
        }
    }

    /// Returns a reader for the content of the file whose head was the last part.
    pub(in crate::store) fn bytes(&mut self, head: &FileHead) -> FileBytes<'_, R> {
        FileBytes { parts: self, left: head.size, piece: io::Cursor::default() }
    }
}

/// Decodes a payload. Its checksum was correct, so a failure means deliberate damage or a bug.
fn read<T: DeserializeOwned>(payload: &[u8]) -> Result<T> {
    decode(payload).map_err(|error| damaged_archive(error.detail().unwrap_or_default()))
}

/// Reader for the content of one file.
pub(in crate::store) struct FileBytes<'p, R> {
    parts: &'p mut Parts<R>,
    left: u64,
    piece: io::Cursor<Vec<u8>>,
}

impl<R: Read> FileBytes<'_, R> {
    /// Reads and verifies the rest of the file without returning it.
    pub(in crate::store) fn skip(mut self) -> Result<()> {
        while self.left > 0 {
            self.fetch()?;
        }
        Ok(())
    }

    fn fetch(&mut self) -> Result<()> {
        let (BYTES, piece) = self.parts.frame()? else { return Err(damaged_archive("a file is cut off")) };
        let left = self.left.checked_sub(piece.len() as u64).filter(|_| !piece.is_empty());
        self.left = left.ok_or_else(|| damaged_archive("a file of another size"))?;
        self.piece = io::Cursor::new(piece);
        Ok(())
    }
}

impl<R: Read> Read for FileBytes<'_, R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.piece.read(out)?;
        if read > 0 || self.left == 0 || out.is_empty() {
            return Ok(read);
        }
        self.fetch().map_err(|error| match error.code() {
            Code::Invalid => io::Error::new(io::ErrorKind::InvalidData, error.detail().unwrap_or_default().to_owned()),
            _ => io::Error::other(format!("{error:?}")),
        })?;
        self.piece.read(out)
    }
}

/// Decompresses rows, up to the size limit of a frame.
fn unpack(packed: &[u8]) -> Result<Vec<u8>> {
    let most = MAX_FRAME_BYTES.min(packed.len() * MAX_RATIO);
    let mut rows = Vec::new();
    let read = DeflateDecoder::new(packed).take(most as u64 + 1).read_to_end(&mut rows);
    read.map_err(|_| damaged_archive("rows that cannot be unpacked"))?;
    if rows.len() > most { Err(damaged_archive("rows that unpack to an impossible size")) } else { Ok(rows) }
}

/// Visits the rows of a part.
pub(in crate::store) fn each_row(mut payload: &[u8], mut visit: impl FnMut(&[u8], &[u8]) -> Result<()>) -> Result<()> {
    fn part<'p>(payload: &mut &'p [u8]) -> Result<&'p [u8]> {
        let cut = || damaged_archive("a row is cut off");
        let (len, rest) = payload.split_first_chunk::<4>().ok_or_else(cut)?;
        let len = usize::try_from(u32::from_be_bytes(*len)).map_err(Error::internal)?;
        let (bytes, rest) = rest.split_at_checked(len).ok_or_else(cut)?;
        *payload = rest;
        Ok(bytes)
    }
    while !payload.is_empty() {
        let key = part(&mut payload)?;
        let value = part(&mut payload)?;
        visit(key, value)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::{Compression, write::DeflateEncoder};

    use super::{super::Frames, *};
    use crate::kernel::Timestamp;

    fn archive(fill: impl FnOnce(&mut Frames<&mut Vec<u8>>)) -> Vec<u8> {
        let mut out = Vec::new();
        let mut frames = Frames::begin(&mut out, &Title::new(Timestamp::from_millis(1), None, 1)).unwrap();
        fill(&mut frames);
        frames.finish().unwrap();
        out
    }

    /// Returns the sizes of the values in an archive.
    fn read(archive: &[u8]) -> Result<Vec<usize>> {
        let (mut parts, _) = Parts::begin(archive)?;
        let mut found = Vec::new();
        while let Part::Rows(rows) = parts.next()? {
            each_row(&rows, |_, value| {
                found.push(value.len());
                Ok(())
            })?;
        }
        Ok(found)
    }

    #[test]
    fn rows_round_trip_and_are_compressed_only_if_that_saves_space() {
        let noise: Vec<u8> = (0..400_000_u32).flat_map(|at| at.wrapping_mul(2_654_435_761).to_be_bytes()).collect();
        let words = "a word and another ".repeat(20_000).into_bytes();
        let same = vec![7; 3_000_000];
        let whole = archive(|frames| {
            for value in [&noise, &words, &same, &Vec::new()] {
                frames.row(b"key", value).unwrap();
            }
        });
        assert_eq!(read(&whole).unwrap(), [noise.len(), words.len(), same.len(), 0]);
        let plain = archive(|frames| frames.row(b"key", b"short").unwrap());
        assert!(plain.windows(5).any(|part| part == b"short"), "nothing is gained by packing that");
        let packed = archive(|frames| frames.row(b"key", "a word and another one ".repeat(90).as_bytes()).unwrap());
        assert!(packed.len() < 500, "{}", packed.len());
    }

    #[test]
    fn rejects_decompression_bombs() {
        let bomb = |size: usize| {
            archive(|frames| {
                let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
                encoder.write_all(&vec![0; size]).unwrap();
                frames.put(PACKED_ROWS, &encoder.finish().unwrap()).unwrap();
            })
        };
        for size in [1_000_000, MAX_FRAME_BYTES + 1, 300_000_000] {
            let error = read(&bomb(size)).unwrap_err();
            assert_eq!(error.fields()[0].1.key, "errors.fields.archive_damaged", "{size}");
            assert!(error.detail().unwrap().contains("impossible size"), "{size}");
        }
    }
}
