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
  atrium repair --from-backup /var/backups/atrium/atrium.backup --drop
  atrium repair --from-backup /var/backups/atrium/atrium.backup --drop --yes")]
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
    /// Make the repair; without it, it is only listed
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
    pub fn read_passphrase(&mut self) -> Result<(), PasswordError> {
        if let Some(file) = self.from_backup.take() {
            self.passphrase.read(false)?;
            self.from = Some(Archive { file, passphrase: mem::take(&mut self.passphrase) });
        }
        Ok(())
    }

    /// Makes the repair, or lists what it would do.
    pub async fn run(self, context: &Context) -> Result<RepairShown> {
        let source = self.from.map(|from| (from.file, from.passphrase.text()));
        let done =
            operator::repair(&context.store, &context.files, source, self.drop, self.yes, &context.progress).await?;
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

    pub fn text(&self) -> String {
        if self.found_nothing() {
            return "Nothing is damaged.".to_owned();
        }
        let mut lines = Vec::new();
        if let Some(file) = &self.original {
            lines.push(format!(
                "Pages of the store were damaged. What could be read was copied into a new store; the damaged one is kept as {file} until you delete it."
            ));
        }
        lines.extend(self.rows.iter().map(|row| row.text(self.done)));
        lines.extend(self.others.iter().map(|other| format!("Rebuilt from the records: {other}")));
        lines.push(self.summary());
        if self.leaves_rows() {
            let next = "--from-backup FILE restores damaged records and uploads from a backup; --drop deletes those that can't be restored. A company's own record and its last owner can only be restored from a backup.";
            lines.push(next.to_owned());
        }
        lines.join("\n")
    }

    fn summary(&self) -> String {
        if self.done {
            format!("Lookups, figures and counts that were rebuilt: {}", self.rebuilt)
        } else if self.damaged_pages {
            format!(
                "Pages of the store are damaged (places that can't be read: {}). Nothing was changed. While the server is stopped, `atrium repair --yes` first copies what can be read into a new store; with --from-backup FILE, lost records come back from a backup.",
                self.unreadable
            )
        } else {
            "Nothing was changed yet. Run it again with --yes to do this.".to_owned()
        }
    }
}

impl RepairedRow {
    fn text(&self, done: bool) -> String {
        let Self { company, kind, id, outcome } = self;
        let happens = match (outcome.as_str(), done) {
            ("rebuilt", false) => "would be rebuilt from the records",
            ("rebuilt", true) => "was rebuilt from the records",
            ("taken", false) => "would be taken from the backup",
            ("taken", true) => "was taken from the backup",
            ("dropped", false) => "would be deleted",
            ("dropped", true) => "was deleted",
            (_, false) => "would stay damaged",
            (_, true) => "is still damaged",
        };
        format!("{company}: {kind} {id} {happens}.")
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
