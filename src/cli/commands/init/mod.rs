//! `atrium init`: writes the configuration file of a new installation from the answers to a few questions, or from flags.

mod answers;
mod questions;

use std::{
    fs,
    io::{IsTerminal as _, stderr, stdin},
    os::unix::fs::MetadataExt as _,
    path::Path,
};

use clap::ValueEnum;

use self::{answers::Answers, questions::Questions};
use crate::{
    cli::{
        arguments::{PACKAGED_CONFIG, PACKAGED_DATA},
        prelude::*,
    },
    config::{Config, Loaded, Sources, check_value, file_text, read_text},
    kernel::folder,
};

/// What the written file begins with.
const HEAD: &str =
    "# Written by `atrium init`. All other settings have their defaults: config.example.toml explains every setting,
# and `atrium config show` prints those in force. After a change: `atrium config check`, then restart the server.
";

/// The mode of the file, which may contain a password: its group, which is the server's, may read it.
const FILE_MODE: u32 = 0o640;

/// The package's folder for backups, and its unit.
const PACKAGED_BACKUPS: &str = "/var/backups/atrium";
const PACKAGED_UNITS: [&str; 2] = ["/usr/lib/systemd/system/atrium.service", "/lib/systemd/system/atrium.service"];

/// How connections are encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Encryption {
    /// By Atrium, with a certificate that it obtains from an authority (Let's Encrypt)
    Acme,
    /// By Atrium, with a certificate from files
    Files,
    /// By a proxy in front of Atrium
    Proxy,
    /// Not at all: for use on this machine only
    None,
}

#[derive(Clone, Debug, Default, Args)]
#[command(after_help = "Examples:
  atrium init
  atrium init --yes --public-url https://atrium.example --acme-contact office@atrium.example
  atrium init --yes --public-url https://atrium.example --tls proxy --config /etc/atrium/config.toml")]
pub struct Init {
    /// Ask nothing
    #[arg(long)]
    yes: bool,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
    /// The address at which people reach the server, such as <https://atrium.example>
    #[arg(long, value_name = "URL", value_parser = setting("public_url"))]
    #[arg(help = "The address at which people reach the server, such as https://atrium.example")]
    public_url: Option<String>,
    /// Where the server listens
    #[arg(long, value_name = "ADDR:PORT", value_parser = setting("listen"))]
    listen: Option<String>,
    /// How connections are encrypted [default: acme with an https address, otherwise none]
    #[arg(long, value_name = "HOW")]
    tls: Option<Encryption>,
    /// The file with the certificate, for --tls files
    #[arg(long, value_name = "FILE", value_parser = setting("tls.certificate"))]
    certificate: Option<String>,
    /// The file with the certificate's key, for --tls files
    #[arg(long, value_name = "FILE", value_parser = setting("tls.key"))]
    key: Option<String>,
    /// Where http is redirected to https [default: 0.0.0.0:80 with a certificate]
    #[arg(long, value_name = "ADDR:PORT", value_parser = setting("tls.redirect"))]
    redirect: Option<String>,
    /// Your email address, for the authority
    #[arg(long, value_name = "ADDRESS", value_parser = setting("acme.contact"))]
    acme_contact: Option<String>,
    /// The authority's directory [default: Let's Encrypt's]
    #[arg(long, value_name = "URL", value_parser = setting("acme.directory"))]
    acme_directory: Option<String>,
    /// The certificates trusted for the directory of an authority of your own
    #[arg(long, value_name = "FILE", value_parser = setting("acme.ca_file"))]
    acme_ca_file: Option<String>,
    /// The proxies' addresses, separated by commas [default: 127.0.0.1 with --tls proxy]
    #[arg(long, value_name = "LIST", value_parser = setting("trusted_proxies"))]
    trusted_proxies: Option<String>,
    /// The mail server
    #[arg(long, value_name = "HOST", value_parser = setting("mail.host"))]
    mail_host: Option<String>,
    /// The mail server's port
    #[arg(long, value_name = "PORT", value_parser = setting("mail.port"))]
    mail_port: Option<String>,
    /// The encryption to the mail server: starttls, tls or none
    #[arg(long, value_name = "HOW", value_parser = setting("mail.security"))]
    mail_security: Option<String>,
    /// The sender's address of emails
    #[arg(long, value_name = "ADDRESS", value_parser = setting("mail.from"))]
    mail_from: Option<String>,
    /// The user name at the mail server
    #[arg(long, value_name = "NAME", value_parser = setting("mail.user"))]
    mail_user: Option<String>,
    /// The file whose first line is the password at the mail server
    #[arg(long, value_name = "FILE", value_parser = setting("mail.password_file"))]
    mail_password_file: Option<String>,
    /// The folder for scheduled backups
    #[arg(long, value_name = "DIR", value_parser = setting("backup.folder"))]
    backup_folder: Option<String>,
    /// The file whose first line is the passphrase of backups
    #[arg(long, value_name = "FILE", value_parser = setting("backup.passphrase_file"))]
    backup_passphrase_file: Option<String>,
}

/// Checks the value of a flag as that of its setting.
fn setting(key: &'static str) -> impl Fn(&str) -> Result<String, String> + Clone + Send + Sync + 'static {
    move |value| check_value(key, value).map(|()| value.to_owned())
}

impl Init {
    /// Writes the file, and prints how to start. `file` is the file that the command line names.
    /// Errors: The file exists; a setting has a fault; there is no terminal to ask at. Nothing is written then.
    pub fn run(self, file: Option<PathBuf>, sources: Sources, json: bool) -> Result<(), Failure> {
        let packaged = Path::new(PACKAGED_CONFIG);
        let has_package = packaged.parent().is_some_and(Path::is_dir);
        let named = file.unwrap_or_else(|| if has_package { packaged.to_owned() } else { "config.toml".into() });
        let file = std::path::absolute(named)?;
        let former = former_file(&file, self.force)?;
        let data_dir = data_dir(&sources, former.as_ref(), &file)?;
        let defaults = [
            ("data_dir", data_dir),
            ("backup.folder", if Path::new(PACKAGED_BACKUPS).is_dir() { PACKAGED_BACKUPS } else { "" }.to_owned()),
        ];
        let is_silent = self.yes;
        if !is_silent && !stdin().is_terminal() {
            let reason = "There is no terminal to ask questions at. Use --yes and options: see `atrium init --help`.";
            return Err(Failure::new("unconfirmed", reason));
        }
        let has_mail_password = sources.environment.iter().any(|(name, _)| name == "ATRIUM_MAIL_PASSWORD");
        let answers = Answers::of(self, &defaults, has_mail_password);
        let answers = if is_silent {
            answers.complete(None)?
        } else {
            let mut questions = Questions::new(stdin().lock(), stderr());
            answers.complete(Some(&mut questions))?
        };
        let text = file_text(HEAD, &answers.settings()).map_err(|reason| Failure::new("configuration", reason))?;
        let loaded = Loaded::from_text(text.clone(), Sources { file: Some(file.clone()), ..sources })?;
        write(&file, &text).map_err(|error| Failure::internal(format_args!("{}: {error}", file.display())))?;
        let written = Written::new(&file, &loaded, has_package);
        print_text(&if json { written.json() } else { written.text() })
    }
}

/// Reads the file that would be replaced.
/// Errors: `conflict` without `force`, when the file has settings besides that of the data directory, which the package's
/// file has.
fn former_file(file: &Path, force: bool) -> Result<Option<toml::Table>, Failure> {
    let text = match read_text(file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Failure::internal(format_args!("{}: {error}", file.display()))),
    };
    let settings = text.parse::<toml::Table>().ok();
    let is_fresh = settings.as_ref().is_some_and(|table| table.keys().all(|key| key == "data_dir"));
    if is_fresh || force {
        return Ok(settings);
    }
    let reason = format!("{} already exists. Nothing was changed. Use --force to replace it.", file.display());
    Err(Failure::new("conflict", reason))
}

/// Returns the data directory: that of the command line or the environment, of the replaced file, of the package, or a
/// folder beside the file.
fn data_dir(sources: &Sources, former: Option<&toml::Table>, file: &Path) -> Result<String, Failure> {
    let flag = sources.flags.iter().find(|(key, ..)| *key == "data_dir").map(|(_, _, value)| value.clone());
    let variable =
        || sources.environment.iter().find(|(name, _)| name == "ATRIUM_DATA_DIR").map(|(_, value)| value.clone());
    let kept = || former?.get("data_dir")?.as_str().map(ToOwned::to_owned);
    let packaged = || (file == Path::new(PACKAGED_CONFIG)).then(|| PACKAGED_DATA.to_owned());
    let beside = || file.with_file_name("atrium-data").display().to_string();
    let folder = flag.or_else(variable).or_else(kept).or_else(packaged).unwrap_or_else(beside);
    Ok(std::path::absolute(folder)?.display().to_string())
}

/// Writes the file with its mode, and with the owner and group of the one that it replaces, otherwise of its folder. The
/// owner stays this process' user where only root may change it.
fn write(file: &Path, text: &str) -> std::io::Result<()> {
    let place = file.parent().unwrap_or(Path::new("/"));
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let owner = fs::metadata(file).or_else(|_| fs::metadata(place)).map(|about| (about.uid(), about.gid()));
    folder::make(place)?;
    folder::write_as(place, &name, text.as_bytes(), FILE_MODE, owner.ok())
}

/// What is printed: where the file is, and the next steps.
struct Written {
    file: String,
    start: String,
    /// How to find the link for the first company.
    link: String,
    /// What to do or to know before the start.
    notes: Vec<String>,
}

impl Written {
    fn new(file: &Path, loaded: &Loaded, has_package: bool) -> Self {
        let file_name = file.display().to_string();
        let has_unit = has_package
            && file == Path::new(PACKAGED_CONFIG)
            && PACKAGED_UNITS.iter().any(|unit| Path::new(unit).exists());
        let start =
            if has_unit { "systemctl restart atrium".to_owned() } else { format!("atrium serve --config {file_name}") };
        let link = if has_unit {
            "open the link that `journalctl -u atrium -g sign-up` shows"
        } else {
            "open the link that the server prints when it starts"
        }
        .to_owned();
        let mut notes: Vec<String> = loaded.warnings().iter().map(ToString::to_string).collect();
        notes.extend(has_unit.then(|| folder_note(&loaded.config)).flatten());
        Self { file: file_name, start, link, notes }
    }

    fn text(&self) -> String {
        let Self { file, start, link, notes } = self;
        let mut lines: Vec<String> = notes.iter().map(|note| format!("Note: {note}")).collect();
        lines.push(pairs(&[("Written:", file), ("Start:", start), ("First company:", link)]));
        lines.join("\n")
    }

    fn json(&self) -> String {
        let Self { file, start, link, notes } = self;
        json!({ "file": file, "start": start, "firstCompany": link, "notes": notes }).to_string()
    }
}

/// Returns what the unit's sandbox needs for a backup folder other than the package's.
fn folder_note(config: &Config) -> Option<String> {
    let folder = config.backup.folder.as_ref().filter(|folder| !folder.starts_with(PACKAGED_BACKUPS))?;
    let folder = folder.display();
    Some(format!(
        "the unit may not write to {folder} yet: run `systemctl edit atrium`, and enter [Service] and ReadWritePaths={folder}"
    ))
}

#[cfg(test)]
mod tests;
