//! Encryption of archives with a passphrase: ChaCha20-Poly1305 over chunks. Each nonce contains the chunk's position
//! and whether it is the last, so that no chunk can be changed, moved or removed (the STREAM construction, Hoang,
//! Reyhanitabar, Rogaway and Vizár 2015). argon2id derives the key from the passphrase and a random salt per file. No
//! two files share a key, so no nonce is used twice.

use std::io::{self, BufRead, BufReader, Chain, Cursor, Read, Write};

use argon2::{Algorithm, Argon2, Params, Version};
use aws_lc_rs::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};

use super::{MAGIC, foreign_archive, newer_archive};
use crate::{
    kernel::{Code, Entropy, Error, Result, text::SHORTEST_PASSPHRASE},
    store::errors::disk_error,
};

/// Magic bytes of every encrypted archive. The version follows.
const SEALED: &[u8; 7] = b"ATRIUM\x01";
const VERSION: u8 = 1;
const HEAD_BYTES: usize = MAGIC.len() + 1;
const SALT_BYTES: usize = 16;
/// Plaintext bytes per chunk.
const CHUNK_BYTES: usize = 64 * 1024;
/// Bytes that encryption adds to a chunk.
const TAG_BYTES: usize = 16;
/// Memory (KiB) and passes of argon2id: the second recommended option of RFC 9106, because an attacker has the file for
/// offline guessing.
const ARGON2_KIB_AND_PASSES: (u32, u32) = (64 * 1024, 3);

fn key(passphrase: &str, salt: &[u8; SALT_BYTES]) -> Result<LessSafeKey> {
    let params = Params::new(ARGON2_KIB_AND_PASSES.0, ARGON2_KIB_AND_PASSES.1, 1, Some(32)).map_err(Error::internal)?;
    let mut key = [0; 32];
    let argon = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    argon.hash_password_into(passphrase.as_bytes(), salt, &mut key).map_err(Error::internal)?;
    UnboundKey::new(&CHACHA20_POLY1305, &key).map(LessSafeKey::new).map_err(Error::internal)
}

fn nonce(place: u64, is_last: bool) -> Nonce {
    let whole = (u128::from(place) << 8 | u128::from(is_last)).to_be_bytes();
    let mut bytes = [0; NONCE_LEN];
    bytes.copy_from_slice(&whole[whole.len() - NONCE_LEN..]);
    Nonce::assume_unique_for_key(bytes)
}

/// Writer for an archive, plain or encrypted.
pub struct Sealer<W> {
    out: W,
    seal: Option<Seal>,
}

struct Seal {
    key: LessSafeKey,
    place: u64,
    chunk: Vec<u8>,
}

impl<W: Write> Sealer<W> {
    /// Creates a writer that encrypts if there is a passphrase.
    /// Errors: `invalid` at `passphrase` when it is too short; `busy` when the head cannot be written.
    pub fn new(mut out: W, passphrase: Option<&str>, entropy: &Entropy) -> Result<Self> {
        let Some(passphrase) = passphrase else { return Ok(Self { out, seal: None }) };
        if passphrase.chars().count() < SHORTEST_PASSPHRASE {
            let params = vec![("count", SHORTEST_PASSPHRASE.to_string())];
            return Err(Error::new(Code::Invalid).and_field("passphrase", "errors.fields.passphrase_short", params));
        }
        let salt = entropy.bytes();
        let seal = Seal { key: key(passphrase, &salt)?, place: 0, chunk: Vec::with_capacity(CHUNK_BYTES + TAG_BYTES) };
        for part in [&SEALED[..], &[VERSION], &salt] {
            out.write_all(part).map_err(disk_error)?;
        }
        Ok(Self { out, seal: Some(seal) })
    }

    /// Writes the last chunk and marks it as the end.
    pub fn finish(mut self) -> io::Result<W> {
        if let Some(seal) = &mut self.seal {
            seal.put(&mut self.out, true)?;
        }
        self.out.flush()?;
        Ok(self.out)
    }
}

impl Seal {
    fn put(&mut self, out: &mut impl Write, is_last: bool) -> io::Result<()> {
        let sealed = self.key.seal_in_place_append_tag(nonce(self.place, is_last), Aad::empty(), &mut self.chunk);
        sealed.map_err(io::Error::other)?;
        self.place += 1;
        out.write_all(&self.chunk)?;
        self.chunk.clear();
        Ok(())
    }
}

impl<W: Write> Write for Sealer<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(seal) = &mut self.seal else { return self.out.write(bytes) };
        // A full chunk is held back until another byte follows, because it may be the last.
        if seal.chunk.len() == CHUNK_BYTES && !bytes.is_empty() {
            seal.put(&mut self.out, false)?;
        }
        let taken = bytes.len().min(CHUNK_BYTES - seal.chunk.len());
        seal.chunk.extend_from_slice(bytes.get(..taken).unwrap_or_default());
        Ok(taken)
    }

    /// Does not write a partial chunk: only the last chunk may be shorter.
    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Reader for an archive, plain or encrypted.
pub struct Unsealer<R>(ArchiveSource<R>);

enum ArchiveSource<R> {
    Plain(Chain<Cursor<[u8; HEAD_BYTES]>, BufReader<R>>),
    Sealed(Unseal<R>),
}

struct Unseal<R> {
    from: BufReader<R>,
    key: LessSafeKey,
    place: u64,
    chunk: Cursor<Vec<u8>>,
    is_over: bool,
}

impl<R: Read> Unsealer<R> {
    /// Opens an archive. An encrypted one requires its passphrase; a plain one must be given none, so that it cannot be
    /// substituted for an encrypted one.
    /// Errors: `invalid` at `passphrase` when it is missing, unexpected or wrong (or the first chunk is damaged), at
    /// `file` when it is too short or of a newer version; `busy` when it cannot be read.
    pub fn new(from: R, passphrase: Option<&str>) -> Result<Self> {
        let mut from = BufReader::with_capacity(CHUNK_BYTES + TAG_BYTES, from);
        let mut head = [0; HEAD_BYTES];
        fill(&mut from, &mut head)?;
        let version = match head.split_last() {
            Some((version, begin)) if begin == SEALED => *version,
            _ if passphrase.is_some() => return Err(Error::field("passphrase", "errors.fields.archive_not_sealed")),
            _ => return Ok(Self(ArchiveSource::Plain(Cursor::new(head).chain(from)))),
        };
        if version != VERSION {
            return Err(newer_archive(format_args!("sealed archives of version {version}")));
        }
        let passphrase = passphrase.ok_or_else(|| Error::field("passphrase", "errors.fields.archive_sealed"))?;
        let mut salt = [0; SALT_BYTES];
        fill(&mut from, &mut salt)?;
        let key = key(passphrase, &salt)?;
        let mut unseal = Unseal { from, key, place: 0, chunk: Cursor::default(), is_over: false };
        match unseal.next() {
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                Err(Error::field("passphrase", "errors.fields.passphrase_wrong"))
            }
            Err(error) => Err(disk_error(error)),
            Ok(()) => Ok(Self(ArchiveSource::Sealed(unseal))),
        }
    }
}

fn fill(from: &mut impl Read, bytes: &mut [u8]) -> Result<()> {
    from.read_exact(bytes).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => foreign_archive("it is too short"),
        _ => disk_error(error),
    })
}

impl<R: Read> Unseal<R> {
    /// Decrypts the next chunk.
    fn next(&mut self) -> io::Result<()> {
        let mut chunk = std::mem::take(&mut self.chunk).into_inner();
        chunk.clear();
        (&mut self.from).take((CHUNK_BYTES + TAG_BYTES) as u64).read_to_end(&mut chunk)?;
        self.is_over = self.from.fill_buf()?.is_empty();
        let opened = self.key.open_in_place(nonce(self.place, self.is_over), Aad::empty(), &mut chunk);
        let length = opened.map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "a sealed part is damaged"))?.len();
        chunk.truncate(length);
        self.place += 1;
        self.chunk = Cursor::new(chunk);
        Ok(())
    }
}

impl<R: Read> Read for Unsealer<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let unseal = match &mut self.0 {
            ArchiveSource::Plain(plain) => return plain.read(out),
            ArchiveSource::Sealed(unseal) => unseal,
        };
        let read = unseal.chunk.read(out)?;
        if read > 0 || unseal.is_over || out.is_empty() {
            return Ok(read);
        }
        unseal.next()?;
        unseal.chunk.read(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASSPHRASE: &str = "a long enough phrase";

    fn sealed(bytes: &[u8], passphrase: Option<&str>) -> Vec<u8> {
        let mut sealer = Sealer::new(Vec::new(), passphrase, &Entropy::seeded(3)).unwrap();
        sealer.write_all(bytes).unwrap();
        sealer.finish().unwrap()
    }

    fn opened(bytes: &[u8], passphrase: Option<&str>) -> Result<io::Result<Vec<u8>>> {
        let mut unsealer = Unsealer::new(bytes, passphrase)?;
        let mut out = Vec::new();
        Ok(unsealer.read_to_end(&mut out).map(|_| out))
    }

    #[test]
    fn sealed_data_of_any_length_opens_with_its_passphrase() {
        for length in [HEAD_BYTES, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 2 * CHUNK_BYTES, 3 * CHUNK_BYTES + 7]
        {
            let bytes: Vec<u8> = (0..length).map(|at| u8::try_from(at % 251).unwrap()).collect();
            let file = sealed(&bytes, Some(PASSPHRASE));
            assert!(!file.windows(16).any(|part| part == &bytes[..16.min(length)]), "{length}");
            assert_eq!(opened(&file, Some(PASSPHRASE)).unwrap().unwrap(), bytes, "{length}");
            assert_eq!(opened(&sealed(&bytes, None), None).unwrap().unwrap(), bytes, "{length}");
        }
    }

    #[test]
    fn requires_a_passphrase_only_for_sealed_archives() {
        let bytes = [5; 100];
        let at = |result: Result<io::Result<Vec<u8>>>| result.unwrap_err().fields()[0].clone();
        let (field, words) = at(opened(&sealed(&bytes, Some(PASSPHRASE)), None));
        assert_eq!((field.as_str(), words.key), ("passphrase", "errors.fields.archive_sealed"));
        let (_, words) = at(opened(&sealed(&bytes, Some(PASSPHRASE)), Some("another long phrase")));
        assert_eq!(words.key, "errors.fields.passphrase_wrong");
        let (_, words) = at(opened(&sealed(&bytes, None), Some(PASSPHRASE)));
        assert_eq!(words.key, "errors.fields.archive_not_sealed");
        let short = Sealer::new(Vec::new(), Some("too short"), &Entropy::seeded(3)).err().unwrap();
        assert_eq!(short.fields()[0].0, "passphrase");
        assert_eq!(
            opened(&sealed(&bytes, Some(PASSPHRASE))[..20], Some(PASSPHRASE)).unwrap_err().fields()[0].0,
            "file"
        );
    }

    #[test]
    fn detects_changed_moved_and_missing_pieces() {
        let bytes = vec![9; 4 * CHUNK_BYTES + 100];
        let file = sealed(&bytes, Some(PASSPHRASE));
        let begin = HEAD_BYTES + SALT_BYTES;
        let chunk = |at: usize| begin + at * (CHUNK_BYTES + TAG_BYTES)..begin + (at + 1) * (CHUNK_BYTES + TAG_BYTES);
        let mut changed = file.clone();
        changed[begin + 2 * (CHUNK_BYTES + TAG_BYTES) + 5] ^= 1;
        let mut moved = file.clone();
        moved[chunk(1)].copy_from_slice(&file[chunk(2)]);
        moved[chunk(2)].copy_from_slice(&file[chunk(1)]);
        let missing = [&file[..chunk(1).start], &file[chunk(2).start..]].concat();
        let cut = file[..chunk(2).end].to_vec();
        let longer = [&file[..], b"x"].concat();
        for (what, harmed) in
            [("changed", changed), ("moved", moved), ("missing", missing), ("cut", cut), ("longer", longer)]
        {
            let error = opened(&harmed, Some(PASSPHRASE)).unwrap().unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidData, "{what}");
        }
    }
}
