//! `atrium repair`: lists damaged records and repairs them, with intact copies from a backup if there is one.

use std::mem;

use super::check::Names;
use crate::{
    cli::prelude::*,
    features::operator::{Outcome, RepairReport},
    store::Snapshot,
};

#[derive(Debug, Default, Args, Serialize, Deserialize)]
#[command(after_help = "Examples:
  atrium repair
  atrium repair --from-backup /srv/atrium.backup --drop
  atrium repair --from-backup /srv/atrium.backup --drop --yes")]
pub struct Repair {
    /// Take what this backup has an intact copy of
    #[arg(long, value_name = "FILE", value_parser = absolute_path())]
    #[serde(skip)]
    pub from_backup: Option<PathBuf>,
    #[command(flatten)]
    #[serde(skip)]
    pub passphrase: Passphrase,
    #[arg(skip)]
    pub from: Option<Archive>,
    /// Remove damaged records that no backup is given for, or that it does not have
    #[arg(long)]
    pub drop: bool,
    /// Do it
    #[arg(long)]
    pub yes: bool,
}

/// The backup to take intact copies from.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Archive {
    pub file: PathBuf,
    #[serde(default)]
    pub passphrase: Passphrase,
}

impl Repair {
    /// Reads the passphrase of the backup.
    pub fn read_passphrase(&mut self, locale: Locale) -> Result<(), PasswordError> {
        if let Some(file) = self.from_backup.take() {
            self.passphrase.read(false, locale)?;
            self.from = Some(Archive { file, passphrase: mem::take(&mut self.passphrase) });
        }
        Ok(())
    }

    /// Makes the repair, or lists what it would do.
    pub async fn run(self, context: &Context) -> Result<RepairShown> {
        let source = self.from.map(|from| (from.file, from.passphrase.text()));
        let done = operator::repair(&context.store, &context.files, source, self.drop, self.yes).await?;
        let shown = RepairShown::new(&context.store.snapshot()?, done);
        let damaged_pages = shown.unreadable > 0 || !self.yes && context.has_damaged_pages()?;
        let original = context.original.as_ref().map(|file| file.display().to_string());
        Ok(RepairShown { damaged_pages, original, ..shown })
    }
}

/// What was repaired, or would be.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RepairShown {
    /// Whether the repair was made, and not only planned.
    pub done: bool,
    pub rows: Vec<RepairedRow>,
    /// Other rows that disagree with the records and are rebuilt from them.
    pub others: Vec<String>,
    pub rebuilt: u64,
    /// Whether pages of the store are damaged. Then nothing is repaired until the store is copied.
    #[serde(default)]
    pub damaged_pages: bool,
    /// Parts of the store that cannot be read.
    #[serde(default)]
    pub unreadable: u64,
    /// Where the damaged original of a copied store is kept.
    pub original: Option<String>,
}

/// A damaged row, and its outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepairedRow {
    /// The tenant's slug, or its id when the tenant's record is damaged.
    pub company: String,
    pub kind: String,
    pub id: String,
    /// `rebuilt`, `taken`, `dropped` or `left`.
    pub outcome: String,
}

impl RepairShown {
    fn new(snapshot: &Snapshot, done: RepairReport) -> Self {
        let names = Names::of(snapshot);
        let row = |tenant, kind: &str, id: &str, outcome| RepairedRow {
            company: names.whose(tenant),
            kind: kind.to_owned(),
            id: id.to_owned(),
            outcome: outcome_name(outcome).to_owned(),
        };
        let rows = done.rows.iter().map(|(broken, outcome)| {
            let damage = &broken.damage;
            row(damage.tenant, &damage.kind, &damage.row, *outcome)
        });
        let uploads =
            done.uploads.iter().map(|(lost, outcome)| row(Some(lost.tenant), "upload", &lost.record.media, *outcome));
        Self {
            done: done.rebuilt.is_some(),
            rows: rows.chain(uploads).collect(),
            others: done.others,
            rebuilt: done.rebuilt.unwrap_or(0),
            unreadable: done.unreadable,
            ..Self::default()
        }
    }

    /// Whether damage remains.
    pub fn leaves_any(&self) -> bool {
        self.leaves_rows() || self.damaged_pages || !(self.done || self.rows.is_empty() && self.others.is_empty())
    }

    fn leaves_rows(&self) -> bool {
        self.rows.iter().any(|row| row.outcome == "left")
    }

    fn found_nothing(&self) -> bool {
        let has_pages = self.damaged_pages || self.original.is_some();
        self.rows.is_empty() && self.others.is_empty() && self.rebuilt == 0 && !has_pages
    }

    pub fn text(&self, locale: Locale) -> String {
        if self.found_nothing() {
            return sentence(locale, "server.cli.repair_nothing", &[]);
        }
        let mut lines = Vec::new();
        if let Some(file) = &self.original {
            lines.push(sentence(locale, "server.cli.repair_rewritten", &[("file", file)]));
        }
        lines.extend(self.rows.iter().map(|row| row.text(self.done, locale)));
        lines.extend(self.others.iter().map(|other| sentence(locale, "server.cli.repair_other", &[("what", other)])));
        lines.push(self.summary(locale));
        if self.leaves_rows() {
            lines.push(sentence(locale, "server.cli.repair_left", &[]));
        }
        lines.join("\n")
    }

    fn summary(&self, locale: Locale) -> String {
        if self.done {
            sentence(locale, "server.cli.repair_rebuilt", &[("rows", &self.rebuilt)])
        } else if self.damaged_pages {
            sentence(locale, "server.cli.repair_unreadable", &[("places", &self.unreadable)])
        } else {
            sentence(locale, "server.cli.repair_dry", &[])
        }
    }
}

impl RepairedRow {
    fn text(&self, done: bool, locale: Locale) -> String {
        let key = format!("server.cli.repair_{}_{}", if done { "done" } else { "would" }, self.outcome);
        sentence(locale, &key, &[("company", &self.company), ("kind", &self.kind), ("id", &self.id)])
    }
}

const fn outcome_name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Rebuilt => "rebuilt",
        Outcome::Taken => "taken",
        Outcome::Dropped => "dropped",
        Outcome::Left => "left",
    }
}
