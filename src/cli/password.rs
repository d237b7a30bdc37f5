//! Password input from a prompt, standard input or a file. Passwords are never arguments, which every process of the
//! machine can read.

use std::{
    fmt,
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

use clap::Args;
use serde::{Deserialize, Serialize};

/// The longest password that is read, in bytes. The password rules allow less.
const MAX_PASSWORD_BYTES: u64 = 4096;

/// The texts that ask for a new password or passphrase, twice.
pub const NEW_PASSWORD: [&str; 2] = ["Password:", "Repeat password:"];
const NEW_PASSPHRASE: [&str; 2] = ["Passphrase:", "Repeat passphrase:"];

/// The terminal of the prompt, whatever standard input and output are.
const TERMINAL: &str = "/dev/tty";

/// A password that is still to be hashed. `Debug` hides it.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Password(pub String);

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("********")
    }
}

/// A new password, and the flags that say where it comes from; without a flag, from a prompt. Only the text is sent to
/// the server.
#[derive(Debug, Default, Args, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NewPassword {
    /// Read the password from standard input
    #[arg(long, conflicts_with = "password_file")]
    #[serde(skip)]
    password_stdin: bool,
    /// Read the password from a file
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    password_file: Option<PathBuf>,
    #[arg(skip)]
    pub text: Password,
}

impl NewPassword {
    /// Creates a password that is already read.
    #[cfg(test)]
    pub fn of(text: &str) -> Self {
        Self { text: Password(text.to_owned()), ..Self::default() }
    }

    /// Reads the password.
    pub fn read(&mut self) -> Result<(), PasswordError> {
        let file = self.password_file.as_deref();
        self.text = read_password("--password", self.password_stdin, file, &NEW_PASSWORD)?;
        Ok(())
    }
}

/// The passphrase of a backup, and the flags that say where it comes from; without a flag there is none. Only the text
/// is sent to the server.
#[derive(Debug, Default, Args, Serialize, Deserialize)]
#[group(multiple = false)]
#[serde(transparent)]
pub struct Passphrase {
    /// Ask for the passphrase that encrypts the file
    #[arg(long)]
    #[serde(skip)]
    ask_passphrase: bool,
    /// Read the passphrase from standard input
    #[arg(long)]
    #[serde(skip)]
    passphrase_stdin: bool,
    /// Read the passphrase from the first line of a file
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    passphrase_file: Option<PathBuf>,
    #[arg(skip)]
    text: Option<Password>,
}

impl Passphrase {
    /// Takes the passphrase from a file if no flag says where it comes from.
    pub fn use_file(&mut self, file: &Path) {
        if !self.ask_passphrase && !self.passphrase_stdin && self.passphrase_file.is_none() {
            self.passphrase_file = Some(file.to_owned());
        }
    }

    /// Reads the passphrase. A prompt asks twice when it `is_new`.
    pub fn read(&mut self, is_new: bool) -> Result<(), PasswordError> {
        if self.ask_passphrase || self.passphrase_stdin || self.passphrase_file.is_some() {
            let prompts = if is_new { &NEW_PASSPHRASE[..] } else { &NEW_PASSPHRASE[..1] };
            let file = self.passphrase_file.as_deref();
            self.text = Some(read_password("--passphrase", self.passphrase_stdin, file, prompts)?);
        }
        Ok(())
    }

    /// Returns the passphrase, if there is one.
    pub fn text(&self) -> Option<String> {
        self.text.as_ref().map(|passphrase| passphrase.0.clone())
    }
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

/// Reads a password from standard input, a file, or else a prompt that asks with the texts of `prompts`. `flag` is the
/// common prefix of the flags for the other sources.
pub fn read_password(
    flag: &str,
    from_stdin: bool,
    file: Option<&Path>,
    prompts: &[&str],
) -> Result<Password, PasswordError> {
    match file {
        _ if from_stdin => first_line(io::stdin().lock()).map_err(|error| PasswordError::Io("stdin".to_owned(), error)),
        Some(path) => {
            File::open(path).and_then(first_line).map_err(|error| PasswordError::Io(path.display().to_string(), error))
        }
        None => ask(flag, prompts),
    }
}

/// Asks for a password at the terminal, and again with each further text.
fn ask(flag: &str, prompts: &[&str]) -> Result<Password, PasswordError> {
    if let Err(error) = File::open(TERMINAL) {
        let text =
            format!("There's no terminal to ask for it at ({error}). Give it with {flag}-stdin or {flag}-file FILE.");
        return Err(PasswordError::Refused(text));
    }
    let mut answers = prompts.iter().map(|text| prompt(text)).collect::<Result<Vec<_>, _>>()?;
    answers.dedup();
    match (answers.pop(), answers.is_empty()) {
        (Some(password), true) => Ok(Password(password)),
        _ => Err(PasswordError::Refused("The two entries don't match. Nothing was changed.".to_owned())),
    }
}

fn prompt(text: &str) -> Result<String, PasswordError> {
    rpassword::prompt_password(format!("{text} ")).map_err(|error| PasswordError::Io(text.to_owned(), error))
}

fn first_line(reader: impl Read) -> io::Result<Password> {
    let mut text = String::new();
    reader.take(MAX_PASSWORD_BYTES).read_to_string(&mut text)?;
    let line = text.split('\n').next().unwrap_or_default();
    Ok(Password(line.strip_suffix('\r').unwrap_or(line).to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn password_is_exactly_the_first_line() {
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
    fn reads_the_password_from_a_file_and_names_a_missing_one() {
        let read = |file: &Path| read_password("--password", false, Some(file), &NEW_PASSWORD);
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "secret\n").unwrap();
        assert_eq!(read(file.path()).unwrap(), Password("secret".to_owned()));
        assert!(read(Path::new("missing")).unwrap_err().to_string().starts_with("missing: "));
    }
}
