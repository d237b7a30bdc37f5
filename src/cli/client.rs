//! Execution of a command: in the server of the data directory, or in this process when no server runs.

use std::{
    io,
    path::Path,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use tokio::runtime::Runtime;

use super::{
    answer::Answer,
    command::Command,
    commands::compact,
    context::Context,
    control::{Request, Response, ask},
    failure::Failure,
    output::complain,
    progress::{ProgressLine, is_visible},
};
use crate::{
    app::{App, Environment},
    config::Config,
    kernel::{
        Code,
        progress::{Progress, Unit},
    },
    store::Home,
};

/// How long a command usually waits while another process has the data directory without answering: another command, or
/// a server that is starting or stopping.
pub const WAIT: Duration = Duration::from_secs(5);
/// How often it looks whether that has ended.
const RETRY_PAUSE: Duration = Duration::from_millis(100);

/// Executes a command, and waits for at most `wait` for the data directory.
pub fn run(config: &Config, command: Command, wait: Duration) -> Result<Answer, Failure> {
    let folder = config.data_dir.as_path();
    if folder.exists() && !folder.is_dir() {
        return Err(Failure::new(
            "invalid",
            format!("{} isn't a folder. Use the data directory of a server.", folder.display()),
        ));
    }
    let progress = Progress::default();
    let _line = ProgressLine::show(&progress);
    let request = Request::new(command, is_visible());
    let since = Instant::now();
    loop {
        match ask(folder, &request, &progress) {
            Ok(Some(Response::Done(answer))) => return Ok(*answer),
            Ok(Some(Response::Failed(failure))) => return Err(failure),
            // The last line of a response is never progress.
            Ok(Some(Response::Progress(_))) => {
                return Err(Failure::unanswered(&io::ErrorKind::InvalidData.into(), folder));
            }
            // The next attempt finds the server stopped and the directory free.
            Ok(None | Some(Response::Stopping)) => {}
            Err(error) => return Err(Failure::unanswered(&error, folder)),
        }
        refuse_without_server(&request.command, folder)?;
        match Home::take(folder) {
            Ok(home) => return runtime()?.block_on(run_here(config, home, request.command, &progress)),
            Err(error) if error.code() == Code::Busy && since.elapsed() < wait => {}
            Err(error) => return Err(Failure::unopened(&error, folder)),
        }
        progress.start(&format!("Waiting for {}", folder.display()), Unit::Items, None);
        thread::sleep(RETRY_PAUSE);
    }
}

/// Creates the runtime of this process.
pub fn runtime() -> Result<Runtime, Failure> {
    Ok(Runtime::new()?)
}

/// Refuses a command that needs a running server, or an installation that is not there.
fn refuse_without_server(command: &Command, folder: &Path) -> Result<(), Failure> {
    if matches!(command, Command::Health | Command::Status | Command::ListAlerts) {
        let text = format!("No server is running with {}. `atrium serve` starts one.", folder.display());
        return Err(Failure::new("not_running", text));
    }
    if !command.creates() && !Home::is_installation(folder).map_err(|error| Failure::of(&error))? {
        let text = format!(
            "There is no Atrium data in {}. Nothing was created. Check --data-dir or ATRIUM_DATA_DIR; `atrium serve`, `atrium tenant create` and `atrium restore` create new data.",
            folder.display()
        );
        return Err(Failure::new("no_installation", text));
    }
    Ok(())
}

/// Executes a command in a data directory that no server holds.
async fn run_here(config: &Config, home: Home, command: Command, progress: &Progress) -> Result<Answer, Failure> {
    let folder = config.data_dir.as_path();
    match command {
        Command::Restore(form) => form.run(&home, progress).await.map(Answer::Restored),
        Command::Compact => compact::run(&home, progress).map(Answer::Compacted),
        command if command.needs_only_store() => {
            let context = Context::open_for(&command, &home, config, progress)
                .map_err(|error| Failure::unreadable(&error, folder))?;
            command.execute(&context).await
        }
        command => {
            let app = App::open_in(Arc::new(home), config.clone(), Environment::default())
                .map_err(|error| Failure::unreadable(&error, folder))?;
            let result = command.execute(&Context::of(&app).with_progress(progress)).await;
            if result.is_ok() {
                write_mail(&app).await;
            }
            app.close().await;
            result
        }
    }
    .map_err(|error| Failure::of(&error))
}

/// Without a mail server, e-mails are written to files at once; otherwise the server sends them later.
async fn write_mail(app: &App) {
    if app.mailer().stores_locally()
        && let Err(error) = app.mailer().round().await
    {
        complain(&format!("{error:?}"));
    }
}
