//! Help: commands in groups, required options first, and topics that concern all commands.

mod topics;

use std::fmt::Write as _;

use clap::{Arg, ArgAction, Args, Command, CommandFactory as _, builder::StyledStr};

pub use self::topics::{TOPICS, Topic};
use super::{arguments::Arguments, prelude::*};

/// The heading of required options and arguments.
const REQUIRED: &str = "Required";
/// The heading of optional ones.
const OPTIONAL: &str = "Options";
/// The heading of options that every command has.
pub const GLOBAL: &str = "Global options";

/// The code of a failure for a command line that cannot be understood.
pub const USAGE: &str = "usage";

/// The last line of every help.
pub const SEE_ALSO: &str = "See also: atrium help exit-codes, configuration, environment, output";

/// The commands in groups, in the order of the help. Those in no group are in the last but one.
const GROUPS: [(&str, &[&str]); 6] = [
    ("Run the server", &["init", "serve", "status", "health", "doctor"]),
    ("Data and backups", &["backup", "restore", "check", "repair", "reindex", "compact"]),
    ("Companies and people", &["tenant", "user"]),
    ("Records", &["import", "export"]),
    ("Looking after it", &["config", "keys", "mail", "alerts"]),
    ("Texts", &["help", "man", "completions", "openapi"]),
];
/// The index of the group of commands that are in no other.
const OTHERS: usize = 4;

/// The command line with its help.
pub fn command() -> Command {
    let help = Arg::new("help").short('h').long("help").action(ArgAction::Help).global(true).help("Print help");
    let version = Arg::new("version").short('V').long("version").action(ArgAction::Version).help("Print the version");
    let flags = [help, version].map(|flag| flag.help_heading(GLOBAL));
    let command = with_headings(Arguments::command().args(flags));
    let template = format!(
        "{{about-with-newline}}\n{} {{usage}}\n\n{}{}\n{{options}}\n\n{{after-help}}",
        heading("Usage:"),
        grouped(&command),
        heading(&format!("{GLOBAL}:")),
    );
    command.help_template(StyledStr::from(template))
}

/// Returns the groups with their commands.
fn groups(command: &Command) -> Vec<(&'static str, Vec<&Command>)> {
    let mut groups: Vec<(&str, Vec<&Command>)> = GROUPS
        .iter()
        .map(|(title, names)| (*title, names.iter().filter_map(|name| command.find_subcommand(name)).collect()))
        .collect();
    let is_grouped = |name: &str| GROUPS.iter().any(|(_, names)| names.contains(&name));
    groups[OTHERS].1.extend(command.get_subcommands().filter(|command| !is_grouped(command.get_name())));
    groups
}

/// Formats the groups as in the help.
fn grouped(command: &Command) -> String {
    let mut out = String::new();
    let width = command.get_subcommands().map(|command| command.get_name().len()).max().unwrap_or_default();
    let literal = clap::builder::Styles::styled();
    let literal = literal.get_literal();
    for (title, commands) in groups(command) {
        let _ = writeln!(out, "{}", heading(&format!("{title}:")));
        for command in commands {
            let name = command.get_name();
            let space = " ".repeat(width - name.len());
            let _ = writeln!(out, "  {literal}{name}{literal:#}{space}  {}", first_sentence(&about(command)));
        }
        out.push('\n');
    }
    out
}

/// Returns what a command does.
fn about(command: &Command) -> String {
    command.get_about().map(ToString::to_string).unwrap_or_default()
}

/// Returns the first sentence, as a line of a list.
fn first_sentence(text: &str) -> &str {
    let end = text.find([';', ':']).into_iter().chain(text.find(". ")).min();
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

/// Formats a heading as clap does.
fn heading(text: &str) -> String {
    let styles = clap::builder::Styles::styled();
    let style = styles.get_header();
    format!("{style}{text}{style:#}")
}

/// Sets the headings of options, and ends the help with where the topics are.
fn with_headings(command: Command) -> Command {
    // Arguments without a name come first, as on the command line.
    let mut place = 0;
    let count = command.get_arguments().count();
    let command = command.mut_args(|arg| {
        let heading = if arg.is_required_set() { REQUIRED } else { OPTIONAL };
        let order = place + if arg.is_positional() { 0 } else { count };
        place += 1;
        if arg.get_help_heading().is_none() { arg.help_heading(heading).display_order(order) } else { arg }
    });
    let mut after = String::new();
    for line in command.get_after_help().map(ToString::to_string).unwrap_or_default().lines() {
        let is_heading = line.ends_with(':') && !line.starts_with(' ');
        let _ = writeln!(after, "{}", if is_heading { heading(line) } else { line.to_owned() });
    }
    let after = format!("{after}\n{SEE_ALSO}");
    command.after_help(StyledStr::from(after)).mut_subcommands(with_headings)
}

/// A command or a topic.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:
  atrium help tenant create
  atrium help exit-codes
  atrium help configuration")]
pub struct Help {
    /// The words of a command, or exit-codes, configuration, environment or output
    #[arg(value_name = "COMMAND|TOPIC")]
    words: Vec<String>,
}

impl Help {
    /// Prints the help.
    /// Errors: `usage` when there is no such command or topic.
    pub fn run(&self, json: bool) -> Result<(), Failure> {
        let shown = |text: String| json!({ "about": self.words.join(" "), "text": text }).to_string();
        if let [word] = self.words.as_slice()
            && let Some(topic) = Topic::find(word)
        {
            return print_text(&if json { shown(topic.text()) } else { topic.text() });
        }
        let command = command();
        let mut found = &command;
        for (at, word) in self.words.iter().enumerate() {
            let known = || found.get_subcommands().map(|command| command.get_name().to_owned()).collect();
            found = found.find_subcommand(word).ok_or_else(|| unknown(word, at, known()))?;
        }
        // The help is what the option prints.
        let line = ["atrium"].into_iter().chain(self.words.iter().map(String::as_str)).chain(["--help"]);
        match command.clone().try_get_matches_from(line) {
            Err(help) if json => print_text(&shown(help.to_string())),
            Err(help) => Ok(help.print()?),
            Ok(_) => Err(Failure::internal("the option --help prints nothing")),
        }
    }
}

/// Returns the failure for an unknown word, with the word that was probably meant.
fn unknown(word: &str, at: usize, mut known: Vec<String>) -> Failure {
    if at == 0 {
        known.extend(TOPICS.iter().map(|topic| topic.name.to_owned()));
    }
    let likeness = |other: &String| strsim::jaro(word, other);
    let near = known.into_iter().filter(|other| likeness(other) > 0.7);
    let near = near.max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    let tip = near.map_or_else(
        || "`atrium help` lists all commands and topics.".to_owned(),
        |near| format!("Did you mean {near}?"),
    );
    Failure::new(USAGE, format!("There is no help about {word}. {tip}"))
}

#[cfg(test)]
mod tests;
