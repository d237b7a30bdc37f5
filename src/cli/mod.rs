//! Command line for operators: every command of `atrium`, on a stopped store or through the socket of the running
//! server. Each command has a file in `commands`.

mod answer;
mod arguments;
mod client;
mod command;
mod command_server;
mod commands;
mod context;
mod control;
mod failure;
mod help;
mod logging;
mod output;
mod password;
mod prelude;

use std::process::ExitCode;

use clap::FromArgMatches as _;
use rustix::fs::Mode;
use serde_json::json;

pub(crate) use self::command::Command;
#[cfg(test)]
pub(crate) use self::{
    answer::Answer,
    commands::{
        backup::Backup,
        repair::{Archive, Repair},
        tenant::export::ExportTenant,
    },
    context::Context,
};
use self::{
    arguments::{Action, Arguments},
    commands::{keys::KeysAction, openapi},
    failure::Failure,
    output::{complain, print_text, sentence},
};
use crate::{
    app,
    config::{Faults, Loaded},
    kernel::{Code, i18n::Locale},
};

/// Reads the configuration from the sources that the command line names.
type ReadConfig = Box<dyn Fn() -> Result<Loaded, Faults> + Send + Sync>;

/// The exit code when data is damaged.
const EXIT_DAMAGED: u8 = 3;

/// Runs the command line of this process with the variables of its environment. Exit codes: 0 success, 1 failure, 2
/// wrong usage, 3 damaged data (found by `check`, left by `repair`, or preventing the store from opening).
pub fn run(environment: &[(String, String)]) -> ExitCode {
    // Files that are created from here on are accessible to their owner only.
    rustix::process::umask(Mode::RWXG | Mode::RWXO);
    let arguments = Arguments::from_arg_matches(&help::command().get_matches()).unwrap_or_else(|error| error.exit());
    let json = arguments.json;
    let Err(failure) = act(arguments, environment) else { return ExitCode::SUCCESS };
    let is_said = failure.message.is_empty();
    complain(&if json && !is_said { json!({ "error": failure }).to_string() } else { failure.to_string() });
    if failure.code == Code::Damaged.as_str() { ExitCode::from(EXIT_DAMAGED) } else { ExitCode::FAILURE }
}

fn act(arguments: Arguments, environment: &[(String, String)]) -> Result<(), Failure> {
    match &arguments.action {
        Action::Openapi => return openapi::run(),
        Action::Completions(form) => return form.run(),
        Action::Man(form) => return form.run(arguments.json),
        _ => {}
    }
    let sources = arguments.sources(environment.to_vec());
    if let Action::Init(form) = arguments.action {
        return form.run(arguments.config, sources, arguments.json);
    }
    if let Action::Doctor(form) = arguments.action {
        return form.run(&sources, arguments.json);
    }
    let read: ReadConfig = Box::new(move || Loaded::from_sources(sources.clone()));
    let loaded = read()?;
    app::offer_languages(&loaded.config).map_err(|error| Failure::new("configuration", format!("{error:?}")))?;
    // All languages are loaded now, so the operator's may be a further one.
    let locale = locale(environment);
    for name in &loaded.unused_variables {
        complain(&sentence(locale, "server.cli.unused_variable", &[("name", name)]));
    }
    let json = arguments.json;
    let mut command = match arguments.action {
        Action::Openapi | Action::Completions(_) | Action::Man(_) | Action::Init(_) | Action::Doctor(_) => {
            return Ok(());
        }
        Action::Config(action) => return action.run(&loaded, locale, json),
        Action::Serve(flags) => return flags.run(loaded, read, locale, json),
        Action::Tenant(action) => action.command(),
        Action::User(action) => action.command(),
        Action::Import(form) => Command::ImportRecords(form),
        Action::Export(form) => Command::ExportRecords(form),
        Action::Keys(KeysAction::Rotate(form)) => Command::RotateKeys(form),
        Action::Mail(action) => action.command(locale),
        Action::Backup(form) => Command::Backup(form),
        Action::Restore(form) => {
            form.confirm(&loaded.config.data_dir, locale)?;
            Command::Restore(form)
        }
        Action::Check => Command::Check,
        Action::Repair(form) => Command::Repair(form),
        Action::Reindex => Command::Reindex,
        Action::Compact => Command::Compact,
        Action::Health => Command::Health,
        Action::Status(form) => return form.run(&loaded.config, locale, json),
    };
    command.read_password(locale)?;
    let answer = client::run(&loaded.config, command, locale)?;
    print_text(&if json { answer.json().map_err(Failure::internal)?.to_string() } else { answer.text(locale) })?;
    answer.verdict()
}

/// Returns the operator's language from the environment (POSIX: the first variable that is set counts).
fn locale(environment: &[(String, String)]) -> Locale {
    let set = |name: &str| environment.iter().find(|(key, value)| key == name && !value.is_empty());
    let wish = ["LC_ALL", "LC_MESSAGES", "LANG"].iter().find_map(|name| set(name));
    let tag = |value: &str| value.split(['.', '@']).next().unwrap_or_default().replace('_', "-");
    wish.and_then(|(_, value)| Locale::of_tag(&tag(value))).unwrap_or(Locale::EN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locale_comes_from_the_environment() {
        for (variables, code) in [
            (&[("LANG", "es_ES.UTF-8")][..], "es"),
            (&[("LANG", "es_ES.UTF-8"), ("LC_ALL", "en_US.UTF-8")], "en"),
            (&[("LC_ALL", ""), ("LC_MESSAGES", "es")], "es"),
            (&[("LANG", "en_GB.UTF-8")], "en-GB"),
            (&[("LANG", "es_ES@euro")], "es"),
            (&[("LANG", "fr_FR")], "en"),
            (&[("LANG", "C")], "en"),
            (&[], "en"),
        ] {
            let variables: Vec<(String, String)> =
                variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            assert_eq!(locale(&variables).code(), code, "{variables:?}");
        }
    }
}
