//! `atrium doctor`: looks for what is wrong with an installation, whether its server runs or not, says how to mend it,
//! and mends what is safe.

mod checks;
mod examine;
mod facts;
mod fix;
mod register;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

pub use self::examine::{Examine, ServerFacts};
use self::{
    facts::{Facts, store::StoreFacts},
    register::{Check, Found, Outcome, Severity, all},
};
use crate::{
    cli::prelude::*,
    config::{Loaded, Sources},
    monitoring::counted,
};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  atrium doctor
  atrium doctor --fix
  atrium doctor --only backup --only tls.ending
  atrium doctor --offline --json

Exits with 0 when no check is failing, otherwise with 1. docs/operations.md lists the checks.")]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the command")]
pub struct Doctor {
    /// Mend what is safe to mend, and say each thing that was done
    #[arg(long)]
    fix: bool,
    /// Ask no other machine
    #[arg(long)]
    offline: bool,
    /// Show the checks that found nothing, too
    #[arg(long)]
    all: bool,
    /// Print what the store of a stopped server says, for root, who must not open it
    #[arg(long, hide = true)]
    store_facts: bool,
    /// Run only a group of checks, or one check; can be repeated
    #[arg(long, value_name = "GROUP|ID", value_parser = named)]
    only: Vec<String>,
}

/// Accepts the name of a group or the id of a check.
fn named(name: &str) -> Result<String, String> {
    if all().any(|check| check.is_named_by(name)) {
        return Ok(name.to_owned());
    }
    let mut groups: Vec<&str> = all().map(Check::group).collect();
    groups.dedup();
    Err(format!("expected one of the groups {}, or the id of a check", groups.join(", ")))
}

impl Doctor {
    /// Runs the checks and prints what they found.
    pub fn run(&self, sources: &Sources, json: bool) -> Result<(), Failure> {
        if self.store_facts {
            let (loaded, _) = Loaded::as_far_as_valid(sources.clone());
            let found = StoreFacts::look(&loaded.config.data_dir);
            print_text(&serde_json::to_string(&found).map_err(Failure::internal)?)?;
            return Ok(());
        }
        let facts = Facts::gather(sources, self.offline);
        let mut report = Report::new(&facts, &self.checks());
        if self.fix {
            let mended = mend(&facts, &report);
            report = Report::new(&Facts::gather(sources, self.offline), &self.checks());
            report.mended = Some(mended);
        }
        print_text(&if json { report.json().to_string() } else { report.text(self.all) })?;
        if report.count(Some(Severity::Failing)) > 0 { Err(Failure::new("failing", "")) } else { Ok(()) }
    }

    fn checks(&self) -> Vec<&'static Check> {
        let is_named = |check: &&Check| self.only.is_empty() || self.only.iter().any(|name| check.is_named_by(name));
        all().filter(is_named).collect()
    }
}

/// Mends what was found. Returns what was done for each check.
fn mend(facts: &Facts, report: &Report) -> Vec<Mended> {
    let mut mended = Vec::new();
    for (check, outcome) in &report.outcomes {
        let (Some(fix), Outcome::Found(_)) = (&check.fix, outcome) else { continue };
        let results = if facts.is_running && !fix.beside_server {
            vec![Err("it is mended only while the server is stopped".to_owned())]
        } else {
            (fix.run)(facts)
        };
        mended.extend(results.into_iter().map(|result| Mended { id: check.id, result }));
    }
    mended
}

/// Something that `--fix` did, or could not do.
struct Mended {
    id: &'static str,
    result: Result<String, String>,
}

/// The outcomes of the checks.
struct Report {
    outcomes: Vec<(&'static Check, Outcome)>,
    /// The mending lines, by check.
    lines: BTreeMap<&'static str, String>,
    mended: Option<Vec<Mended>>,
}

impl Report {
    fn new(facts: &Facts, checks: &[&'static Check]) -> Self {
        let outcomes: Vec<_> = checks.iter().map(|check| (*check, (check.find)(facts))).collect();
        let line = |(check, outcome): &(&'static Check, Outcome)| match outcome {
            Outcome::Found(found) => Some((check.id, check.mend_line(facts, found))),
            _ => None,
        };
        let lines = outcomes.iter().filter_map(line).collect();
        Self { outcomes, lines, mended: None }
    }

    /// Counts the findings of a severity, or of any.
    fn count(&self, severity: Option<Severity>) -> usize {
        let is_counted = |found: &Found| severity.is_none_or(|severity| found.severity == severity);
        self.outcomes.iter().filter(|(_, it)| matches!(it, Outcome::Found(found) if is_counted(found))).count()
    }

    fn left_out(&self) -> usize {
        self.outcomes.iter().filter(|(_, outcome)| matches!(outcome, Outcome::LeftOut(_))).count()
    }

    fn ok(&self) -> usize {
        self.outcomes.len() - self.count(None) - self.left_out()
    }

    /// Returns what is printed: a block for each group with something to show, what was mended, and the counts.
    fn text(&self, shows_all: bool) -> String {
        let mut blocks: Vec<String> = Vec::new();
        let mut group = "";
        for (check, outcome) in &self.outcomes {
            let Some(lines) = self.lines_of(check, outcome, shows_all) else { continue };
            if check.group() == group {
                blocks.extend(lines);
            } else {
                group = check.group();
                let gap = if blocks.is_empty() { "" } else { "\n" };
                blocks.push(format!("{gap}{group}"));
                blocks.extend(lines);
            }
        }
        if let Some(mended) = &self.mended {
            let gap = if blocks.is_empty() { "" } else { "\n" };
            blocks.push(format!("{gap}mended"));
            blocks.extend(mended.iter().map(|it| match &it.result {
                Ok(done) => format!("  {}: {done}", it.id),
                Err(why) => format!("  {}: not mended: {why}", it.id),
            }));
            blocks.extend(mended.is_empty().then(|| "  Nothing that is mended by itself.".to_owned()));
        }
        if !blocks.is_empty() {
            blocks.push(String::new());
        }
        blocks.push(self.summary());
        blocks.join("\n")
    }

    fn lines_of(&self, check: &Check, outcome: &Outcome, shows_all: bool) -> Option<Vec<String>> {
        match outcome {
            Outcome::Found(found) => {
                let head = format!("  {:7}  {}: {} {}", found.severity.as_str(), check.id, found.message, check.means);
                let line = self.lines.get(check.id).map(String::as_str).unwrap_or_default();
                let how = if check.fix.is_some() { " (or --fix)" } else { "" };
                Some(vec![head, format!("           Mend{how}: {line}")])
            }
            Outcome::Ok if shows_all => Some(vec![format!("  ok       {}: {}", check.id, check.looks_at)]),
            Outcome::LeftOut(why) if shows_all => Some(vec![format!("  -        {}: left out: {why}", check.id)]),
            _ => None,
        }
    }

    fn summary(&self) -> String {
        let number = |severity| self.count(Some(severity)) as u64;
        let warnings = counted(number(Severity::Warning), "warning");
        let notes = counted(number(Severity::Note), "note");
        format!(
            "{}: {} ok, {} failing, {warnings}, {notes}, {} left out",
            counted(self.outcomes.len() as u64, "check"),
            self.ok(),
            number(Severity::Failing),
            self.left_out(),
        )
    }

    /// Returns one JSON object.
    fn json(&self) -> Value {
        let entry = |(check, outcome): &(&'static Check, Outcome)| {
            let mut entry = json!({ "id": check.id, "group": check.group(), "looksAt": check.looks_at });
            match outcome {
                Outcome::Ok => entry["status"] = "ok".into(),
                Outcome::LeftOut(why) => {
                    entry["status"] = "left-out".into();
                    entry["message"] = why.as_str().into();
                }
                Outcome::Found(found) => {
                    entry["status"] = found.severity.as_str().into();
                    entry["message"] = found.message.as_str().into();
                    entry["means"] = check.means.into();
                    entry["mend"] = self.lines.get(check.id).map(String::as_str).into();
                    entry["fixable"] = check.fix.is_some().into();
                }
            }
            entry
        };
        let mut report = json!({
            "checks": self.outcomes.iter().map(entry).collect::<Vec<_>>(),
            "ok": self.ok(),
            "failing": self.count(Some(Severity::Failing)),
            "warnings": self.count(Some(Severity::Warning)),
            "notes": self.count(Some(Severity::Note)),
            "leftOut": self.left_out(),
        });
        if let Some(mended) = &self.mended {
            let entry = |it: &Mended| match &it.result {
                Ok(done) => json!({ "id": it.id, "done": done }),
                Err(why) => json!({ "id": it.id, "error": why }),
            };
            report["mended"] = mended.iter().map(entry).collect::<Vec<_>>().into();
        }
        report
    }
}
