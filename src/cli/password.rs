//! Passwords come from a prompt, from standard input or from a file, and never from an argument, where
//! every process of the machine could read them.

use std::{
    fs::File,
    io::{self, Read},
    path::PathBuf,
};

use super::command::Password;
use crate::kernel::i18n::{Locale, say};

/// The longest password taken in, in bytes; the rules allow less.
const LONGEST: u64 = 4096;

/// The terminal that a prompt speaks to, whatever standard input and output are.
const TERMINAL: &str = "/dev/tty";

/// Where a password comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Asked for at the terminal. The flags, beginning so, name the other sources.
    Prompt(&'static str),
    /// The first line of standard input.
    Stdin,
    /// The first line of a file.
    File(PathBuf),
}

/// Why a password could not be read.
#[derive(Debug, thiserror::Error)]
pub enum PasswordError {
    /// It could not be read.
    #[error("{0}: {1}")]
    Io(String, io::Error),
    /// It was typed differently the second time, or there is no terminal to ask at.
    #[error("{0}")]
    Refused(String),
}

impl Source {
    /// The source that the flags name; `flag` is how they begin.
    #[must_use]
    pub fn new(flag: &'static str, stdin: bool, file: Option<PathBuf>) -> Self {
        match (stdin, file) {
            (true, _) => Self::Stdin,
            (false, Some(file)) => Self::File(file),
            (false, None) => Self::Prompt(flag),
        }
    }

    /// Reads a password to be set; a prompt speaks the given language.
    ///
    /// # Errors
    /// It cannot be read, or was typed differently the second time.
    pub fn read(&self, locale: Locale) -> Result<Password, PasswordError> {
        self.ask(locale, "server.cli.password", Some("server.cli.password_again"))
    }

    /// The same of a passphrase, which is asked for once when it `is_new` no more.
    ///
    /// # Errors
    /// As [`Source::read`].
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
