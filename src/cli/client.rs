//! Execution of a command: in the server of the data directory, or in this process when no server runs.

use std::{path::Path, sync::Arc, thread, time::Duration};

use tokio::runtime::Runtime;

use super::{
    answer::Answer,
    command::Command,
    commands::compact,
    context::Context,
    control::{Request, Response, ask},
    failure::{Failure, about},
    output::complain,
};
use crate::{
    app::{App, Environment},
    config::Config,
    kernel::{Code, i18n::Locale},
    store::Home,
};

/// How often, and at what interval, a command retries while another process holds the store without answering: a server
/// that is starting or stopping.
const MAX_TRIES: u32 = 50;
const RETRY_PAUSE: Duration = Duration::from_millis(100);

/// Executes a command.
pub fn run(config: &Config, command: Command, locale: Locale) -> Result<Answer, Failure> {
    let folder = config.data_dir.as_path();
    if folder.exists() && !folder.is_dir() {
        return Err(Failure::new("invalid", about(folder, "server.cli.no_folder", locale)));
    }
    let request = Request { command, locale: locale.code().to_owned() };
    let mut held = Failure::new("busy", about(folder, "server.cli.in_use", locale));
    for attempt in 0..MAX_TRIES {
        if attempt > 0 {
            thread::sleep(RETRY_PAUSE);
        }
        match ask(folder, &request) {
            Ok(Some(Response::Done(answer))) => return Ok(*answer),
            Ok(Some(Response::Failed(failure))) => return Err(failure),
            // The next attempt finds the server stopped and the directory free.
            Ok(None | Some(Response::Stopping)) => {}
            Err(error) => return Err(Failure::unanswered(&error, folder, locale)),
        }
        refuse_without_server(&request.command, folder, locale)?;
        match Home::take(folder) {
            Ok(home) => return runtime()?.block_on(run_here(config, home, request.command, locale)),
            Err(error) if error.code() == Code::Busy => held = Failure::unopened(&error, folder, locale),
            Err(error) => return Err(Failure::unopened(&error, folder, locale)),
        }
    }
    Err(held)
}

/// Creates the runtime of this process.
pub fn runtime() -> Result<Runtime, Failure> {
    Ok(Runtime::new()?)
}

/// Refuses a command that needs a running server, or an installation that is not there.
fn refuse_without_server(command: &Command, folder: &Path, locale: Locale) -> Result<(), Failure> {
    if matches!(command, Command::Health | Command::Status | Command::ListAlerts) {
        return Err(Failure::new("not_running", about(folder, "server.cli.not_running", locale)));
    }
    if !command.creates() && !Home::is_installation(folder).map_err(|error| Failure::of(&error, locale))? {
        return Err(Failure::new("no_installation", about(folder, "server.cli.no_installation", locale)));
    }
    Ok(())
}

/// Executes a command in a data directory that no server holds.
async fn run_here(config: &Config, home: Home, command: Command, locale: Locale) -> Result<Answer, Failure> {
    let folder = config.data_dir.as_path();
    match command {
        Command::Restore(form) => form.run(&home).await.map(Answer::Restored),
        Command::Compact => compact::run(&home).map(Answer::Compacted),
        command if command.needs_only_store() => {
            let context = Context::open_for(&command, &home, config)
                .map_err(|error| Failure::unreadable(&error, folder, locale))?;
            command.execute(&context).await
        }
        command => {
            let app = App::open_in(Arc::new(home), config.clone(), Environment::default())
                .map_err(|error| Failure::unreadable(&error, folder, locale))?;
            let result = command.execute(&Context::of(&app)).await;
            if result.is_ok() {
                write_mail(&app).await;
            }
            app.close().await;
            result
        }
    }
    .map_err(|error| Failure::of(&error, locale))
}

/// Without a mail server, e-mails are written to files at once; otherwise the server sends them later.
async fn write_mail(app: &App) {
    if app.mailer().stores_locally()
        && let Err(error) = app.mailer().round().await
    {
        complain(&format!("{error:?}"));
    }
}
