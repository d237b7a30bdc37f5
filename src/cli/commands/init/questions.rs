//! Questions at the terminal.

use std::io::{self, BufRead, Write};

use clap::ValueEnum as _;

use super::Encryption;
use crate::config::check_value;

/// The answer that leaves a setting with a suggestion unset.
const NONE: &str = "none";

/// Asks questions. A wrong answer is explained, and the question repeated.
pub struct Questions<'a> {
    input: Box<dyn BufRead + 'a>,
    output: Box<dyn Write + 'a>,
}

impl<'a> Questions<'a> {
    pub fn new(input: impl BufRead + 'a, output: impl Write + 'a) -> Self {
        Self { input: Box::new(input), output: Box::new(output) }
    }

    /// Asks for the value of a setting. An empty answer takes the default.
    pub fn setting(&mut self, key: &str, question: &str, default: &str) -> io::Result<String> {
        self.repeat(question, if default.is_empty() { NONE } else { default }, |answer| {
            let value = if answer == NONE && key != "mail.security" { "" } else { answer };
            check_value(key, value).map(|()| value.to_owned())
        })
    }

    /// Asks how connections are encrypted.
    pub fn encryption(&mut self) -> io::Result<Encryption> {
        for way in Encryption::value_variants() {
            if let Some(value) = way.to_possible_value() {
                let meaning = value.get_help().map(ToString::to_string).unwrap_or_default();
                writeln!(self.output, "  {:5}  {meaning}", value.get_name())?;
            }
        }
        self.repeat("How are connections encrypted?", "acme", |answer| {
            Encryption::from_str(answer, true).map_err(|_| "expected one of acme, files, proxy, none".to_owned())
        })
    }

    /// Asks for a password, which the terminal does not show.
    pub fn password(&mut self, question: &str) -> io::Result<String> {
        self.output.flush()?;
        rpassword::prompt_password(format!("{question}: "))
    }

    fn repeat<T>(&mut self, question: &str, default: &str, read: impl Fn(&str) -> Result<T, String>) -> io::Result<T> {
        loop {
            write!(self.output, "{question} [{default}]: ")?;
            self.output.flush()?;
            let mut line = String::new();
            if self.input.read_line(&mut line)? == 0 {
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the answers ended; nothing was written"));
            }
            let answer = line.trim();
            match read(if answer.is_empty() { default } else { answer }) {
                Ok(value) => return Ok(value),
                Err(reason) => writeln!(self.output, "  {reason}")?,
            }
        }
    }
}
