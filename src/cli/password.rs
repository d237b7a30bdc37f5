//! Password input from a prompt, standard input or a file. Passwords are never arguments, which every process of the
//! machine can read.

use std::{
    fs::File,
    io::{self, Read},
    path::PathBuf,
};

use super::command::Password;
use crate::kernel::i18n::{Locale, say};

/// The longest password that is read, in bytes. The password rules allow less.
const LONGEST: u64 = 4096;

/// The terminal of the prompt, whatever standard input and output are.
const TERMINAL: &str = "/dev/tty";

/// Where a password comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A prompt at the terminal. The text is the common prefix of the flags for the other sources.
    Prompt(&'static str),
    /// The first line of standard input.
    Stdin,
    /// The first line of a file.
    File(PathBuf),
}

/// Why a password could not be read.
#[derive(Debug, thiserror::Error)]
pub enum PasswordError {
    /// Reading failed.
    #[error("{0}: {1}")]
    Io(String, io::Error),
    /// The repeated password differs, or there is no terminal for a prompt.
    #[error("{0}")]
    Refused(String),
}

impl Source {
    /// Returns the source that the flags select; `flag` is their common prefix.
    #[must_use]
    pub fn new(flag: &'static str, stdin: bool, file: Option<PathBuf>) -> Self {
        match (stdin, file) {
            (true, _) => Self::Stdin,
            (false, Some(file)) => Self::File(file),
            (false, None) => Self::Prompt(flag),
        }
    }

    /// Reads a new password; a prompt uses the given language.
    ///
    /// # Errors
    /// It cannot be read, or the repetition differs.
    pub fn read(&self, locale: Locale) -> Result<Password, PasswordError> {
        self.ask(locale, "server.cli.password", Some("server.cli.password_again"))
    }

    /// Reads a passphrase. A prompt asks twice when it `is_new`.
    pub fn passphrase(&self, is_new: bool, locale: Locale) -> Result<Password, PasswordError> {
        self.ask(locale, "server.cli.passphrase", is_new.then_some("server.cli.passphrase_again"))
    }

    fn ask(&self, locale: Locale, first: &str, again: Option<&str>) -> Result<Password, PasswordError> {
        match self {
            Self::Stdin => first_line(io::stdin().lock()).map_err(|error| PasswordError::Io("stdin".to_owned(), error)),
            Self::File(path) => File::open(path)
                .and_then(first_line)
                .map_err(|error| PasswordError::Io(path.display().to_string(), error)),
            Self::Prompt(flag) => {
                if let Err(error) = File::open(TERMINAL) {
                    let gaps = [("flag", (*flag).to_owned()), ("reason", error.to_string())];
                    return Err(PasswordError::Refused(say(locale, "server.cli.no_terminal", &gaps)));
                }
                let ask = |key: &str| {
                    let prompt = say(locale, key, &[]);
                    rpassword::prompt_password(format!("{prompt} ")).map_err(|error| PasswordError::Io(prompt, error))
                };
                let password = ask(first)?;
                match again.map(ask).transpose()? {
                    Some(other) if other != password => {
                        Err(PasswordError::Refused(say(locale, "server.cli.password_differs", &[])))
                    }
                    _ => Ok(Password(password)),
                }
            }
        }
    }
}

fn first_line(reader: impl Read) -> io::Result<Password> {
    let mut text = String::new();
    reader.take(LONGEST).read_to_string(&mut text)?;
    let line = text.split('\n').next().unwrap_or_default();
    Ok(Password(line.strip_suffix('\r').unwrap_or(line).to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_the_first_line_exactly() {
        for (text, password) in [
            ("secret\n", "secret"),
            ("secret", "secret"),
            ("secret\r\n", "secret"),
            (" with blanks \nsecond line", " with blanks "),
            ("", ""),
            ("ünïcode\n", "ünïcode"),
        ] {
            assert_eq!(first_line(text.as_bytes()).unwrap().0, password, "{text:?}");
        }
        assert!(first_line(&b"\xff\xfe"[..]).is_err());
    }

    #[test]
    fn flags_choose_the_source() {
        assert_eq!(Source::new("--password", false, None), Source::Prompt("--password"));
        assert_eq!(Source::new("--password", true, None), Source::Stdin);
        assert_eq!(Source::new("--password", false, Some("f".into())), Source::File("f".into()));
        assert!(Source::File("missing".into()).read(Locale::EN).unwrap_err().to_string().starts_with("missing: "));
    }
}
