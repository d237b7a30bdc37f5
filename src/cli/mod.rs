//! Command line for operators: every command of `atrium`, on a stopped store or through the socket of the running
//! server. Each command has a file in `commands`.

mod answer;
mod arguments;
mod as_owner;
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
mod progress;
mod seen_folder;

use std::{env, path::Path, process::ExitCode, time::Duration};

use clap::{FromArgMatches as _, error::ErrorKind};
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
    arguments::{Action, Arguments, CONFIG_VARIABLE, PACKAGED_CONFIG},
    as_owner::become_owner,
    commands::{config::ConfigAction, keys::KeysAction, openapi},
    control::is_served,
    failure::Failure,
    output::{complain, print_text},
};
use crate::{
    app,
    config::{Faults, Loaded},
    kernel::Code,
};

/// Reads the configuration from the sources that the command line names.
type ReadConfig = Box<dyn Fn() -> Result<Loaded, Faults> + Send + Sync>;

/// The exit codes of wrong usage, and of damaged data. `atrium help exit-codes` explains all.
const EXIT_USAGE: u8 = 2;
const EXIT_DAMAGED: u8 = 3;

/// Runs the command line of this process with the variables of its environment.
pub fn run(environment: &[(String, String)]) -> ExitCode {
    // Files that are created from here on are accessible to their owner only.
    rustix::process::umask(Mode::RWXG | Mode::RWXO);
    let parsed = help::command().try_get_matches().and_then(|matches| Arguments::from_arg_matches(&matches));
    let arguments = match parsed {
        Ok(arguments) => arguments.with_config_variable(env::var_os(CONFIG_VARIABLE)),
        Err(error) => return refuse_usage(&error),
    };
    let json = arguments.json;
    let Err(failure) = act(arguments, environment) else { return ExitCode::SUCCESS };
    let is_said = failure.message.is_empty();
    complain(&if json && !is_said { json!({ "error": failure }).to_string() } else { failure.to_string() });
    match failure.code.as_str() {
        code if code == Code::Damaged.as_str() => ExitCode::from(EXIT_DAMAGED),
        help::USAGE => ExitCode::from(EXIT_USAGE),
        _ => ExitCode::FAILURE,
    }
}

/// Prints a warning, as JSON for scripts.
fn warn(text: &str, json: bool) {
    complain(&if json { json!({ "warning": { "message": text } }).to_string() } else { text.to_owned() });
}

/// Prints the help or the version that was asked for, or what is wrong with the command line.
fn refuse_usage(error: &clap::Error) -> ExitCode {
    let is_script = env::args_os().any(|word| word == "--json");
    if !is_script || matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        // Nothing is left to do if it cannot be printed.
        drop(error.print());
    } else {
        let text = error.to_string();
        let message = text.trim().trim_start_matches("error: ");
        complain(&json!({ "error": Failure::new(help::USAGE, message) }).to_string());
    }
    if error.use_stderr() { ExitCode::from(EXIT_USAGE) } else { ExitCode::SUCCESS }
}

fn act(arguments: Arguments, environment: &[(String, String)]) -> Result<(), Failure> {
    match &arguments.action {
        Action::Openapi => return openapi::run(),
        Action::Completions(form) => return form.run(),
        Action::Man(form) => return form.run(arguments.json),
        Action::Help(form) => return form.run(arguments.json),
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
    let json = arguments.json;
    if arguments.config.is_none() && Path::new(PACKAGED_CONFIG).try_exists().is_err() {
        let text = format!(
            "{PACKAGED_CONFIG} can't be read by this user, so its settings don't count here. Run the command as root or as the user atrium, or name another file with --config."
        );
        warn(&text, json);
    }
    let wait = arguments.wait.map(Duration::from_secs);
    for name in &loaded.unused_variables {
        let text = format!("The environment variable {name} matches no setting and was ignored. Check its spelling.");
        warn(&text, json);
    }
    let data_dir = &loaded.config.data_dir;
    let reads_data = !matches!(arguments.action, Action::Serve(_) | Action::Config(ConfigAction::Show));
    let reads_settings = matches!(arguments.action, Action::Config(_));
    if reads_data && (reads_settings || !is_served(data_dir)) {
        become_owner(data_dir)?;
    }
    let mut command = match arguments.action {
        Action::Openapi
        | Action::Completions(_)
        | Action::Man(_)
        | Action::Help(_)
        | Action::Init(_)
        | Action::Doctor(_) => return Ok(()),
        Action::Config(action) => return action.run(&loaded, json),
        Action::Serve(flags) => return flags.run(loaded, read, wait, json),
        Action::Tenant(action) => action.command(),
        Action::User(action) => action.command(),
        Action::Import(form) => Command::ImportRecords(form),
        Action::Export(form) => Command::ExportRecords(form),
        Action::Keys(KeysAction::Rotate(form)) => Command::RotateKeys(form),
        Action::Mail(action) => action.command(),
        Action::Backup(form) => Command::Backup(form),
        Action::Restore(form) => {
            form.confirm(&loaded.config.data_dir)?;
            Command::Restore(form)
        }
        Action::Check => Command::Check,
        Action::Repair(form) => Command::Repair(form),
        Action::Reindex => Command::Reindex,
        Action::Compact => Command::Compact,
        Action::Health => Command::Health,
        Action::Alerts(action) => action.command(),
        Action::Status(form) => return form.run(&loaded.config, wait.unwrap_or(client::WAIT), json),
    };
    command.read_password(&loaded.config)?;
    let answer = client::run(&loaded.config, command, wait.unwrap_or(client::WAIT))?;
    print_text(&answer.shown(json)?)?;
    answer.verdict()
}
