//! The register of checks: what each looks at, what it means when it fails, and the line that mends it. A check is a
//! pure function of the gathered facts.

use serde::Serialize;

use super::{
    checks::{
        backup, clock, configuration, disk, dns, files, index, jobs, kernel, limits, mail, memory, network, proxy,
        public, secrets, server, sign_in, store, tls, version,
    },
    facts::Facts,
};

/// All checks, by group, in the order in which they are printed.
pub const GROUPS: [&[Check]; 21] = [
    configuration::CHECKS,
    server::CHECKS,
    version::CHECKS,
    network::CHECKS,
    public::CHECKS,
    proxy::CHECKS,
    tls::CHECKS,
    dns::CHECKS,
    clock::CHECKS,
    disk::CHECKS,
    files::CHECKS,
    secrets::CHECKS,
    store::CHECKS,
    index::CHECKS,
    backup::CHECKS,
    mail::CHECKS,
    jobs::CHECKS,
    sign_in::CHECKS,
    limits::CHECKS,
    memory::CHECKS,
    kernel::CHECKS,
];

/// What stands between several ways to mend something.
pub const WAYS: &str = ", or ";

/// A check.
pub struct Check {
    /// The stable id, `group.name`.
    pub id: &'static str,
    /// What it looks at.
    pub looks_at: &'static str,
    /// What it means when it fails.
    pub means: &'static str,
    /// The setting or command that mends it, or several, with `, or ` between them. The words in capitals are replaced
    /// by what was found.
    pub mend: &'static str,
    /// How `--fix` mends it.
    pub fix: Option<Fix>,
    /// Judges the facts.
    pub find: fn(&Facts) -> Outcome,
}

/// How `--fix` mends what a check found.
pub struct Fix {
    /// Whether it is safe beside a running server.
    pub beside_server: bool,
    /// Mends, and says each thing that was done, or why it could not be.
    pub run: fn(&Facts) -> Vec<Result<String, String>>,
}

impl Check {
    /// The group of the check.
    pub fn group(&self) -> &'static str {
        self.id.split_once('.').map_or(self.id, |(group, _)| group)
    }

    /// Whether `--only` names the check: by its id or its group.
    pub fn is_named_by(&self, name: &str) -> bool {
        self.id == name || self.group() == name
    }

    /// Returns the line that mends what was found.
    pub fn mend_line(&self, facts: &Facts, found: &Found) -> String {
        let common = [
            ("CONFIG", facts.configuration.file_name()),
            ("DATA", facts.data.path.display().to_string()),
            ("OWNER", facts.owner()),
            ("GROUP", facts.group()),
        ];
        let value = |word: &str| found.words.iter().chain(&common).find(|(name, _)| *name == word).map(|(_, it)| it);
        let mut line = String::new();
        let way = found.way.and_then(|way| self.mend.split(WAYS).nth(way));
        let mut rest = way.unwrap_or(self.mend);
        // In one pass: the values may have such words, too.
        while let Some(start) = rest.find(|character: char| character.is_ascii_uppercase()) {
            let (before, word) = rest.split_at(start);
            let length = word.find(|character: char| !character.is_ascii_uppercase()).unwrap_or(word.len());
            let (word, after) = word.split_at(length);
            line.push_str(before);
            line.push_str(value(word).map_or(word, String::as_str));
            rest = after;
        }
        line + rest
    }
}

/// How severe a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Something to mend soon.
    Warning,
    /// Something does not work, or is unsafe.
    Failing,
}

impl Severity {
    /// Returns the name of the severity.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Failing => "failing",
        }
    }
}

/// What a check found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// How severe it is.
    pub severity: Severity,
    /// What was found: a sentence.
    pub message: String,
    /// What the words in capitals of the mending line stand for.
    pub words: Vec<(&'static str, String)>,
    /// Which of several ways to mend it fits; `None`: all do.
    pub way: Option<usize>,
}

/// The outcome of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing to mend.
    Ok,
    /// It could not be looked at, or does not apply now, for this reason.
    LeftOut(String),
    /// Something to mend.
    Found(Found),
}

impl Outcome {
    /// Creates a finding.
    pub fn found(severity: Severity, message: impl Into<String>) -> Self {
        Self::Found(Found { severity, message: message.into(), words: Vec::new(), way: None })
    }

    /// Creates a note.
    pub fn note(message: impl Into<String>) -> Self {
        Self::found(Severity::Note, message)
    }

    /// Creates a warning.
    pub fn warning(message: impl Into<String>) -> Self {
        Self::found(Severity::Warning, message)
    }

    /// Creates a failure.
    pub fn failing(message: impl Into<String>) -> Self {
        Self::found(Severity::Failing, message)
    }

    /// Leaves the check out.
    pub fn left_out(reason: impl Into<String>) -> Self {
        Self::LeftOut(reason.into())
    }

    /// Chooses the way to mend it that fits, from 0.
    pub const fn mended_by(mut self, way: usize) -> Self {
        if let Self::Found(found) = &mut self {
            found.way = Some(way);
        }
        self
    }

    /// Adds what a word of the mending line stands for.
    #[expect(clippy::needless_pass_by_value, reason = "callers pass values of many types, most of them temporary")]
    pub fn with(mut self, word: &'static str, value: impl ToString) -> Self {
        if let Self::Found(found) = &mut self {
            found.words.push((word, value.to_string()));
        }
        self
    }
}

/// Returns all checks.
pub fn all() -> impl Iterator<Item = &'static Check> {
    GROUPS.into_iter().flatten()
}
