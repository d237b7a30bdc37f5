//! Mail transport: to a mail server, or into a folder of the data directory if none is configured.

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
};

use lettre::{
    Message,
    message::header::{HeaderName, HeaderValue},
};

use super::smtp::{Client, Failure};
use crate::{
    config::Mail,
    kernel::{Result, folder},
    store::entries::OUTGOING,
};

/// The header of a stored e-mail with its link, which the operator can pass on.
const LINK_HEADER: &str = "X-Atrium-Link";

/// The transport.
pub(super) enum Transport {
    /// To a mail server.
    Smtp(Box<Client>),
    /// Into a folder.
    Folder(PathBuf),
}

/// The result of a successful delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Delivered {
    /// A server accepted it.
    Sent,
    /// It is stored in the folder.
    Kept,
}

/// The reason for a failed delivery.
#[derive(Debug)]
pub(super) enum DeliveryError {
    Server(Failure),
    Folder(PathBuf, io::Error),
}

impl fmt::Display for DeliveryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Server(failure) => failure.fmt(f),
            Self::Folder(folder, error) => write!(f, "{}: {error}", folder.display()),
        }
    }
}

impl DeliveryError {
    /// Whether a retry is useless.
    pub(super) fn is_final(&self) -> bool {
        matches!(self, Self::Server(failure) if failure.is_final())
    }
}

impl Transport {
    /// Opens the configured transport.
    /// Errors: `internal` if a certificate in `mail.ca_file` cannot be read.
    pub(super) fn open(mail: &Mail, data_dir: &Path) -> Result<Self> {
        match &mail.host {
            None => Ok(Self::Folder(data_dir.join(OUTGOING))),
            Some(host) => Client::open(host, mail).map(|client| Self::Smtp(Box::new(client))),
        }
    }

    /// Whether e-mails are stored instead of being sent.
    pub(super) const fn stores_locally(&self) -> bool {
        matches!(self, Self::Folder(_))
    }

    /// Returns the path of a stored e-mail.
    pub(super) fn file_path(&self, name: &str) -> Option<PathBuf> {
        match self {
            Self::Smtp(_) => None,
            Self::Folder(folder) => Some(folder.join(format!("{name}.eml"))),
        }
    }

    /// Sends a mail. `name` is the file name if it is stored, `link` the target of its button.
    /// Errors: The server did not accept it, or it cannot be stored.
    pub(super) async fn send(&self, message: Message, name: &str, link: &str) -> Result<Delivered, DeliveryError> {
        match self {
            Self::Smtp(server) => {
                let envelope = message.envelope();
                let from = envelope.from().map_or("", AsRef::as_ref);
                let to: Vec<&str> = envelope.to().iter().map(AsRef::as_ref).collect();
                server.send(from, &to, &message.formatted()).await.map_err(DeliveryError::Server)?;
                Ok(Delivered::Sent)
            }
            Self::Folder(folder) => {
                let outgoing = folder.clone();
                let name = name.to_owned();
                let mut message = message;
                message.headers_mut().insert_raw(HeaderValue::dangerous_new_pre_encoded(
                    HeaderName::new_from_ascii_str(LINK_HEADER),
                    link.to_owned(),
                    link.to_owned(),
                ));
                let kept = tokio::task::spawn_blocking(move || {
                    folder::write(&outgoing, &format!("{name}.eml"), &message.formatted())
                })
                .await;
                let kept = kept.map_err(io::Error::other).flatten();
                kept.map(|()| Delivered::Kept).map_err(|error| DeliveryError::Folder(folder.clone(), error))
            }
        }
    }

    /// Closes connections that are kept for the next mail.
    pub(super) async fn close_idle(&self) {
        if let Self::Smtp(server) = self {
            server.close_idle().await;
        }
    }

    /// Returns the link of a stored e-mail, while its file exists.
    pub(super) fn link_of(&self, name: &str) -> Option<String> {
        let text = fs::read_to_string(self.file_path(name)?).ok()?;
        let head = text.split("\r\n\r\n").next()?;
        let mut lines = head.lines();
        let link = lines.find_map(|line| line.strip_prefix(LINK_HEADER)?.strip_prefix(": "));
        link.map(|link| link.trim().to_owned())
    }

    /// Removes a stored e-mail.
    pub(super) fn remove_file(&self, name: &str) {
        if let Some(file) = self.file_path(name)
            && let Err(error) = fs::remove_file(&file)
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(%error, file = %file.display(), "mail: removing a stored email failed");
        }
    }
}
