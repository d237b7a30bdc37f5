//! Reading of files that settings name.

use std::{
    fs::File,
    io::{self, Read as _},
    os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _},
    path::Path,
};

use rustix::fs::OFlags;

/// The largest file, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Reads a file.
/// Errors: It cannot be read; it is neither a regular file nor a device such as `/dev/null`, as a pipe may have no end; it
/// is too large.
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    // Opening a pipe without a writer would wait for one.
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let file = File::options().read(true).custom_flags(flags).open(path)?;
    let kind = file.metadata()?.file_type();
    if !kind.is_file() && !kind.is_char_device() {
        return Err(io::Error::other("expected a regular file"));
    }
    let mut content = Vec::new();
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut content)?;
    if content.len() as u64 > MAX_FILE_BYTES {
        return Err(io::Error::other("expected a file of at most 1 MiB"));
    }
    Ok(content)
}

/// Reads a file of text.
/// Errors: As [`read_file`], or it is not UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read_file(path)?).map_err(|_| io::Error::other("expected text in UTF-8"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;

    #[test]
    fn reads_regular_files_of_a_limited_size_only() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config.toml");
        fs::write(&file, "listen = \"\"\n").unwrap();
        assert_eq!(read_text(&file).unwrap(), "listen = \"\"\n");
        let fault = |path: &Path| read_text(path).unwrap_err().to_string();
        fs::write(&file, [0xff]).unwrap();
        assert_eq!(fault(&file), "expected text in UTF-8");
        fs::write(&file, vec![b'#'; 1 << 20]).unwrap();
        assert_eq!(read_text(&file).unwrap().len(), 1 << 20);
        fs::write(&file, vec![b'#'; (1 << 20) + 1]).unwrap();
        assert_eq!(fault(&file), "expected a file of at most 1 MiB");
        let pipe = folder.path().join("pipe");
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR, 0).unwrap();
        for other in [&pipe, folder.path()] {
            assert_eq!(fault(other), "expected a regular file", "{}", other.display());
        }
        assert_eq!(fault(Path::new("/dev/zero")), "expected a file of at most 1 MiB");
        assert_eq!(read_text(Path::new("/dev/null")).unwrap(), "");
        assert!(fault(&folder.path().join("missing")).contains("No such file"));
    }
}
