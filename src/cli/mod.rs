//! Command line for operators: every command of `atrium`, on a stopped store or through the socket of the running
//! server.

mod answer;
mod args;
mod asked;
mod command;
mod command_server;
mod control;
mod execute;
mod help;
mod logging;
mod password;
mod perform;
mod print;
mod reload;
mod serve;
mod tools;

use std::{
    collections::BTreeMap,
    io::{BufRead as _, IsTerminal as _, Read as _, Write as _},
    path::Path,
    process::ExitCode,
    sync::Arc,
    time::Duration,
};

use clap::FromArgMatches as _;
use rustix::fs::Mode;
use serde_json::{Map, Value, json};

#[cfg(test)]
pub(crate) use self::command::{Archive, Repair};
pub(crate) use self::{
    answer::Answer,
    command::Command,
    execute::{Operator, execute},
    tools::Tools,
};
use self::{
    args::{Action, Arguments, Configuration},
    command::{Failure, Restoration},
    command_server::{restore_beside, restored},
    control::{Request, Response, ask},
};
use crate::{
    app::{self, App, Environment},
    config::{Config, Faults, Loaded},
    features::operator::{put_in_place, remove_replaced},
    kernel::{
        Clock, Code, Error,
        i18n::{Locale, say},
    },
    store::{Home, STORE, compact},
};

/// How often, and at what interval, a command retries while another process holds the store without answering: a server
/// that is starting or stopping.
const TRIES: u32 = 50;
const PAUSE: Duration = Duration::from_millis(100);

/// Reads the configuration from the sources that the command line names.
type ReadConfig = Box<dyn Fn() -> Result<Loaded, Faults> + Send + Sync>;

/// The exit code when data is damaged.
const DAMAGED: u8 = 3;

/// Runs the command line of this process with the variables of its environment. Exit codes: 0 success, 1 failure, 2
/// wrong usage, 3 damaged data (found by `check`, left by `repair`, or preventing the store from opening).
#[must_use]
pub fn run(environment: &[(String, String)]) -> ExitCode {
    // Files that are created from here on are accessible to their owner only.
    rustix::process::umask(Mode::RWXG | Mode::RWXO);
    let arguments = Arguments::from_arg_matches(&help::command().get_matches()).unwrap_or_else(|error| error.exit());
    let json = arguments.json;
    match act(arguments, environment) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // A failure without a message was already reported in the printed answer.
            let said = failure.message.is_empty();
            let text = if json && !said { json!({ "error": failure }).to_string() } else { failure.to_string() };
            complain(&text);
            if failure.code == Code::Damaged.as_str() { ExitCode::from(DAMAGED) } else { ExitCode::FAILURE }
        }
    }
}

fn act(arguments: Arguments, environment: &[(String, String)]) -> Result<(), Failure> {
    let json = arguments.json;
    if matches!(arguments.action, Action::Openapi) {
        return tell(app::document().trim_end());
    }
    let sources = arguments.sources(environment.to_vec());
    let read: ReadConfig = Box::new(move || Loaded::from_sources(sources.clone()));
    let loaded = read().map_err(|faults| misconfigured(&faults))?;
    app::offer_languages(&loaded.config).map_err(|error| failed("configuration", format!("{error:?}")))?;
    // All languages are loaded now, so the operator's may be a further one.
    let locale = locale(environment);
    for name in &loaded.unused_variables {
        complain(&say(locale, "server.cli.unused_variable", &[("name", name.clone())]));
    }
    match arguments.action {
        Action::Config(Configuration::Show) => show(&loaded, json),
        Action::Config(Configuration::Check) if !loaded.doubts().is_empty() => {
            Err(misconfigured(&Faults(loaded.doubts())))
        }
        Action::Config(Configuration::Check) if json => tell(&json!({ "status": "ok" }).to_string()),
        Action::Config(Configuration::Check) => tell(&say(locale, "server.cli.config_clean", &[])),
        Action::Serve(flags) => {
            logging::start(&loaded.config.log).map_err(|error| failed("internal", error.to_string()))?;
            for fault in loaded.doubts() {
                tracing::warn!(%fault, "configuration");
            }
            let runtime = runtime()?;
            let outcome = runtime.block_on(serve::run(loaded.config, read, flags.demo, locale, json));
            // Work that still runs on blocking threads is cut off by the end of the process.
            runtime.shutdown_timeout(serve::LEAST_CLOSE);
            outcome
        }
        action => {
            if let Action::Restore { yes: false, .. } = &action {
                confirm(&loaded.config, locale)?;
            }
            let command = action.command(locale).map_err(|error| failed("bad_request", error.to_string()))?;
            let Some(command) = command else { return Ok(()) };
            let answer = reach(&loaded.config, command, locale)?;
            print(&answer, locale, json)?;
            match answer {
                Answer::Healthy(health) if !health.condition.writable => Err(failed("degraded", String::new())),
                Answer::Checked(report) if !report.damages.is_empty() => Err(failed("damaged", String::new())),
                Answer::Repaired(repair) if repair.leaves_any() => Err(failed("damaged", String::new())),
                _ => Ok(()),
            }
        }
    }
}

/// Executes a command in the server of the data directory, or in this process when no server runs.
fn reach(config: &Config, command: Command, locale: Locale) -> Result<Answer, Failure> {
    let folder = config.data_dir.clone();
    if folder.exists() && !folder.is_dir() {
        return Err(failed("invalid", about(&folder, "server.cli.no_folder", locale)));
    }
    let request = Request { command, locale: locale.code().to_owned() };
    let runtime = runtime()?;
    let mut held = None;
    for attempt in 0..TRIES {
        if attempt > 0 {
            std::thread::sleep(PAUSE);
        }
        match ask(&folder, &request) {
            Ok(Some(Response::Done(answer))) => return Ok(answer),
            Ok(Some(Response::Failed(failure))) => return Err(failure),
            // The next attempt finds the server stopped and the directory free.
            Ok(None | Some(Response::Stopping)) => {}
            Err(error) => return Err(denied(&folder, &error, locale)),
        }
        if matches!(request.command, Command::Health) {
            return Err(failed("not_running", about(&folder, "server.cli.not_running", locale)));
        }
        if !request.command.creates()
            && !Home::is_installation(&folder).map_err(|error| Failure::new(&error, locale))?
        {
            return Err(failed("no_installation", about(&folder, "server.cli.no_installation", locale)));
        }
        match Home::take(&folder) {
            Ok(home) => return runtime.block_on(on_the_spot(config, home, request.command, locale)),
            Err(error) if error.code() == Code::Busy => held = Some(unopened(&error, &folder, locale)),
            Err(error) => return Err(unopened(&error, &folder, locale)),
        }
    }
    Err(held.unwrap_or_else(|| failed("busy", about(&folder, "server.cli.in_use", locale))))
}

/// Asks for confirmation before the data of a running server is replaced.
fn confirm(config: &Config, locale: Locale) -> Result<(), Failure> {
    let folder = &config.data_dir;
    let request = Request { command: Command::Health, locale: locale.code().to_owned() };
    if !matches!(ask(folder, &request), Ok(Some(Response::Done(_) | Response::Failed(_)))) {
        return Ok(());
    }
    let unconfirmed = || failed("unconfirmed", about(folder, "server.cli.restore_unconfirmed", locale));
    let mut input = std::io::stdin();
    if !input.is_terminal() {
        return Err(unconfirmed());
    }
    complain(&about(folder, "server.cli.restore_confirm", locale));
    // One short line is enough; only the exact word confirms.
    let mut answer = String::new();
    let read = std::io::BufReader::new(input.by_ref().take(100)).read_line(&mut answer);
    let word = say(locale, "server.cli.restore_word", &[]);
    if read.is_ok() && answer.trim().eq_ignore_ascii_case(&word) { Ok(()) } else { Err(unconfirmed()) }
}

/// Executes a command in a data directory that no server holds.
async fn on_the_spot(config: &Config, home: Home, command: Command, locale: Locale) -> Result<Answer, Failure> {
    if let Command::Restore(restoration) = command {
        return restore(&home, restoration).await.map_err(|error| Failure::new(&error, locale));
    }
    let folder = home.path().to_owned();
    if matches!(command, Command::Compact) {
        let compacted = home.expect_store().and_then(|()| compact(&folder.join(STORE)));
        let (before, after) = compacted.map_err(|error| Failure::new(&error, locale))?;
        return Ok(Answer::Compacted { before, after });
    }
    if Tools::take_on(&command) {
        let tools = Tools::open_for(&command, &home, config).map_err(|error| unreadable(&error, &folder, locale))?;
        return tools.perform(command).await.map_err(|error| Failure::new(&error, locale));
    }
    let opened = App::open_in(Arc::new(home), config.clone(), Environment::default());
    let app = opened.map_err(|error| unreadable(&error, &folder, locale))?;
    let result = execute(&Operator::of(&app), command).await;
    if result.is_ok() && app.mailer().keeps() {
        // Without a mail server, e-mails are written to files at once; otherwise the server sends them later.
        if let Err(error) = app.mailer().round().await {
            complain(&format!("{error:?}"));
        }
    }
    app.close().await;
    result.map_err(|error| Failure::new(&error, locale))
}

/// Restores a backup. The present data is not opened, because it may be damaged.
async fn restore(home: &Home, Restoration { archive, keep }: Restoration) -> crate::kernel::Result<Answer> {
    let file = archive.file.clone();
    // A restore that was interrupted before it was in place comes first.
    put_in_place(home, Clock::system().now())?;
    let staged = restore_beside(home, archive).await?;
    let replaced = put_in_place(home, Clock::system().now())?;
    remove_replaced(home.path(), keep)?;
    Ok(restored(&file, staged, replaced.as_deref()))
}

/// Prints every setting, as a usable configuration file or as a JSON object by the settings' names.
fn show(loaded: &Loaded, json: bool) -> Result<(), Failure> {
    let settings = loaded.settings();
    if json {
        let entry = |setting: crate::config::Setting| {
            // A value in the file is also valid JSON: a number, or a text or list with JSON's quotes.
            let value: Value = serde_json::from_str(&setting.value).unwrap_or(Value::String(setting.value));
            let value = json!({ "value": value, "origin": setting.origin, "variable": setting.variable });
            (setting.key.to_owned(), value)
        };
        return tell(&Value::Object(settings.into_iter().map(entry).collect::<Map<_, _>>()).to_string());
    }
    let left: Vec<String> = settings.iter().map(|setting| format!("{} = {}", setting.key, setting.value)).collect();
    let width = left.iter().map(|text| text.chars().count()).max().unwrap_or_default();
    let lines: Vec<String> =
        left.iter().zip(&settings).map(|(text, setting)| format!("{text:width$}  # {}", setting.origin)).collect();
    tell(&lines.join("\n"))
}

fn print(answer: &Answer, locale: Locale, json: bool) -> Result<(), Failure> {
    if !json {
        return tell(&print::as_text(answer, locale));
    }
    let value = print::as_json(answer).map_err(|error| failed("internal", error.to_string()))?;
    tell(&value.to_string())
}

fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Runtime::new().map_err(|error| failed("internal", error.to_string()))
}

fn failed(code: &str, message: String) -> Failure {
    Failure { code: code.to_owned(), message, fields: BTreeMap::new() }
}

fn misconfigured(faults: &Faults) -> Failure {
    failed("configuration", faults.to_string())
}

/// Returns the failure for data that cannot be opened.
fn unreadable(error: &Error, folder: &Path, locale: Locale) -> Failure {
    let key = match error.code() {
        Code::Damaged => "server.cli.store_damaged",
        Code::Busy => "server.cli.store_unreadable",
        _ => return Failure::new(error, locale),
    };
    let gaps = [("folder", folder.display().to_string()), ("why", error.detail().unwrap_or_default().to_owned())];
    failed(error.code().as_str(), say(locale, key, &gaps))
}

/// Returns the failure for a data directory that cannot be taken.
fn unopened(error: &Error, folder: &Path, locale: Locale) -> Failure {
    if error.code() != Code::Busy {
        let is_denied = error.words().is_none() && error.detail().is_some_and(|detail| detail.contains("os error 13"));
        let gaps =
            [("folder", folder.display().to_string()), ("reason", error.detail().unwrap_or_default().to_owned())];
        return if is_denied {
            failed("denied", say(locale, "server.cli.denied", &gaps))
        } else {
            Failure::new(error, locale)
        };
    }
    let in_use = about(folder, "server.cli.in_use", locale);
    failed("busy", error.detail().map_or_else(|| in_use.clone(), |detail| format!("{in_use} ({detail})")))
}

/// Returns the failure for a running server that cannot be asked.
fn denied(folder: &Path, error: &std::io::Error, locale: Locale) -> Failure {
    let gaps = [("folder", folder.display().to_string()), ("reason", error.to_string())];
    if error.kind() == std::io::ErrorKind::PermissionDenied {
        return failed("denied", say(locale, "server.cli.denied", &gaps));
    }
    failed("internal", say(locale, "server.cli.no_answer", &gaps))
}

fn about(folder: &Path, key: &str, locale: Locale) -> String {
    say(locale, key, &[("folder", folder.display().to_string())])
}

/// Prints to standard output. A closed reader (`| head`) is not an error.
fn tell(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(failed("internal", error.to_string())),
        _ => Ok(()),
    }
}

/// Prints to standard error. Failures are ignored: there is no other output.
fn complain(text: &str) {
    if !text.is_empty() {
        drop(writeln!(std::io::stderr().lock(), "{text}"));
    }
}

/// Returns the operator's language from the environment (POSIX: the first variable that is set counts).
fn locale(environment: &[(String, String)]) -> Locale {
    let set = |name: &str| environment.iter().find(|(key, value)| key == name && !value.is_empty());
    let wish = ["LC_ALL", "LC_MESSAGES", "LANG"].iter().find_map(|name| set(name));
    wish.and_then(|(_, value)| Locale::parse(value.get(..2)?)).unwrap_or(Locale::EN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_operator_s_language_comes_from_the_environment() {
        for (variables, code) in [
            (&[("LANG", "es_ES.UTF-8")][..], "es"),
            (&[("LANG", "es_ES.UTF-8"), ("LC_ALL", "en_US.UTF-8")], "en"),
            (&[("LC_ALL", ""), ("LC_MESSAGES", "es")], "es"),
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
