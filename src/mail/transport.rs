//! How letters leave the house: by a mail server, or, where there is none, into the data directory.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    time::Duration,
};

use lettre::{
    AsyncSmtpTransport, AsyncTransport as _, Message, Tokio1Executor,
    message::header::{HeaderName, HeaderValue},
    transport::smtp::{
        PoolConfig,
        authentication::Credentials,
        client::{Certificate, Tls, TlsParameters},
    },
};

use crate::{
    config::{Mail, MailSecurity},
    kernel::{Error, Result, folder},
};

/// How long one step of talking to the server may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// Connections to it at a time.
pub(super) const CONNECTIONS: usize = 4;
/// The header of a kept letter that names its link, for the operator to hand on.
const LINK: HeaderName = HeaderName::new_from_ascii_str("X-Atrium-Link");

/// The way out.
pub(super) enum Transport {
    /// To a server.
    Smtp(AsyncSmtpTransport<Tokio1Executor>),
    /// Into a folder.
    Folder(PathBuf),
}

/// What came of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// A server took the letter.
    Sent,
    /// It lies in the folder.
    Kept,
    /// Not now; why.
    Later(String),
    /// Not ever; why.
    Never(String),
}

impl Transport {
    /// The one that is configured.
    ///
    /// # Errors
    /// `internal` when the certificate of the server's authority cannot be read.
    pub(super) fn open(mail: &Mail, data_dir: &Path) -> Result<Self> {
        let Some(host) = &mail.host else { return Ok(Self::Folder(data_dir.join("outgoing"))) };
        let tls = || {
            let mut parameters = TlsParameters::builder(host.clone());
            if let Some(file) = &mail.ca_file {
                let failed = |error: &dyn std::fmt::Display| {
                    Error::internal(format_args!("mail.ca_file {}: {error}", file.display()))
                };
                let pem = fs::read(file).map_err(|error| failed(&error))?;
                parameters =
                    parameters.add_root_certificate(Certificate::from_pem(&pem).map_err(|error| failed(&error))?);
            }
            parameters.build_rustls().map_err(|error| Error::internal(format_args!("mail: {error}")))
        };
        let tls = match mail.security {
            MailSecurity::Starttls => Tls::Required(tls()?),
            MailSecurity::Tls => Tls::Wrapper(tls()?),
            MailSecurity::None => Tls::None,
        };
        let pool = PoolConfig::new().max_size(u32::try_from(CONNECTIONS).unwrap_or(1)).idle_timeout(PATIENCE);
        let mut builder = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(host)
            .port(mail.port())
            .tls(tls)
            .timeout(Some(PATIENCE))
            .pool_config(pool);
        if let Some((user, password)) = mail.user.as_ref().zip(mail.password.as_ref()) {
            builder = builder.credentials(Credentials::new(user.clone(), password.0.clone()));
        }
        Ok(Self::Smtp(builder.build()))
    }

    /// Whether letters stay in the house.
    pub(super) const fn keeps(&self) -> bool {
        matches!(self, Self::Folder(_))
    }

    /// Where a kept letter lies.
    pub(super) fn place(&self, name: &str) -> Option<PathBuf> {
        match self {
            Self::Smtp(_) => None,
            Self::Folder(folder) => Some(folder.join(format!("{name}.eml"))),
        }
    }

    /// Hands a letter over. `name` is the file's when it is kept, `link` what the letter leads to.
    pub(super) async fn send(&self, message: Message, name: &str, link: &str) -> Outcome {
        match self {
            Self::Smtp(server) => match server.send(message).await {
                Ok(_) => Outcome::Sent,
                Err(error) => refused(&error),
            },
            Self::Folder(folder) => {
                let (folder, name, mut message) = (folder.clone(), name.to_owned(), message);
                message.headers_mut().insert_raw(HeaderValue::dangerous_new_pre_encoded(
                    LINK,
                    link.to_owned(),
                    link.to_owned(),
                ));
                let kept = tokio::task::spawn_blocking(move || keep(&folder, &name, &message.formatted())).await;
                match kept.map_err(io::Error::other).flatten() {
                    Ok(()) => Outcome::Kept,
                    Err(error) => Outcome::Later(format!("{}: {error}", self.place("").unwrap_or_default().display())),
                }
            }
        }
    }

    /// The link of a kept letter, while it is there.
    pub(super) fn link_of(&self, name: &str) -> Option<String> {
        let text = fs::read_to_string(self.place(name)?).ok()?;
        let head = text.split("\r\n\r\n").next()?;
        let mut lines = head.lines();
        lines.find_map(|line| line.strip_prefix("X-Atrium-Link: ")).map(|link| link.trim().to_owned())
    }

    /// Removes a kept letter.
    pub(super) fn forget(&self, name: &str) {
        if let Some(file) = self.place(name)
            && let Err(error) = fs::remove_file(&file)
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(%error, file = %file.display(), "a kept letter stays");
        }
    }
}

/// Writes a letter that only the operator may read; it is there whole or not at all.
fn keep(outgoing: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    folder::make(outgoing)?;
    let (part, file) = (outgoing.join(format!("{name}.part")), outgoing.join(format!("{name}.eml")));
    let mut out = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&part)?;
    out.write_all(bytes)?;
    out.sync_all()?;
    fs::rename(part, file)?;
    folder::sync(outgoing)
}

/// What a failure means. Only what a server says of this very letter or addressee is for ever: a refused
/// sign-in or an unknown command is the configuration's fault, and that will be mended.
fn refused(error: &lettre::transport::smtp::Error) -> Outcome {
    let mut reason = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(inner) = source {
        let inner_text = inner.to_string();
        if !reason.contains(&inner_text) {
            reason = format!("{reason}: {inner_text}");
        }
        source = inner.source();
    }
    let reason: String = crate::kernel::text::line(&reason).chars().take(300).collect();
    let about_it = error.status().is_some_and(|code| (550..=559).contains(&u16::from(code)));
    if error.is_permanent() && about_it { Outcome::Never(reason) } else { Outcome::Later(reason) }
}
