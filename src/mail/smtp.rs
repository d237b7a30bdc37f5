//! SMTP client (RFC 5321, with STARTTLS and AUTH PLAIN or LOGIN), for mails to one recipient.
//!
//! Every step has a time limit, and so has the whole exchange: a server that accepts a connection and then stops
//! responding is given up. Connections are kept for a few seconds, so that mails which are due together share them.

use std::{
    fmt, io,
    pin::Pin,
    sync::Arc,
    time::{Duration, Instant},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use parking_lot::Mutex;
use rustls::pki_types::ServerName;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader},
    net::TcpStream,
};
use tokio_rustls::TlsConnector;

use super::trust;
use crate::{
    config::{Mail, MailSecurity, Secret},
    kernel::{Code, Error, Result, resolver::look_up, text},
};

/// Time limit of connecting to one of the server's addresses.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Time limit of every other step.
const STEP_TIMEOUT: Duration = Duration::from_secs(30);
/// Time limit of the response to a mail's content: giving up here may deliver the mail twice.
pub(super) const CONTENT_TIMEOUT: Duration = Duration::from_mins(2);
/// Time limit of the whole exchange.
const TOTAL_TIMEOUT: Duration = Duration::from_mins(3);
/// Time limit of QUIT, and of checking whether a kept connection still works.
const QUIT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long an unused connection is kept.
const IDLE_TIMEOUT: Duration = Duration::from_secs(10);
/// Longest line in bytes and maximum of lines of a response (RFC 5321 §4.5.3.1.5 requires 512 bytes a line).
const MAX_LINE_BYTES: u64 = 2_048;
const MAX_REPLY_LINES: usize = 100;

/// Resolves when the time limit of a step has passed. Tests use their own.
pub(super) type Timer = Arc<dyn Fn(Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync>;

/// A mail server and how to connect to it.
pub(super) struct Client {
    host: String,
    port: u16,
    security: MailSecurity,
    tls: Option<(TlsConnector, ServerName<'static>)>,
    login: Option<(String, Secret)>,
    /// The name that the client sends in EHLO.
    name: String,
    timer: Timer,
    idle: Mutex<Vec<(Session<Stream>, Instant)>>,
}

/// The step at which an exchange failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Connecting to the server.
    Connect,
    /// TLS.
    Encrypt,
    /// The server's greeting, and EHLO.
    Greet,
    /// The user name and the password.
    SignIn,
    /// The sender's address.
    Sender,
    /// A recipient's address.
    Recipient,
    /// The mail itself.
    Content,
}

/// The reason why a step failed.
#[derive(Debug)]
pub(super) enum Cause {
    /// No response in time.
    Timeout,
    /// The connection failed or was closed.
    Io(io::Error),
    /// The server's certificate is not trusted.
    Certificate(rustls::CertificateError),
    /// The server refused, with this code and text.
    Refused(u16, String),
    /// The response is not SMTP, or a required extension is not offered.
    Protocol(&'static str),
}

/// A failed delivery.
#[derive(Debug)]
pub(super) struct Failure {
    pub server: String,
    pub step: Step,
    pub cause: Cause,
}

impl From<io::Error> for Cause {
    fn from(error: io::Error) -> Self {
        match error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
            Some(rustls::Error::InvalidCertificate(why)) => Self::Certificate(why.clone()),
            _ => Self::Io(error),
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Timeout => f.write_str("no answer in time"),
            Self::Io(error) => error.fmt(f),
            Self::Certificate(why) => write!(f, "the certificate is not trusted: {why:?}"),
            Self::Refused(code, text) => write!(f, "{code} {text}"),
            Self::Protocol(why) => f.write_str(why),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let step = match self.step {
            Step::Connect => "connecting",
            Step::Encrypt => "TLS",
            Step::Greet => "greeting",
            Step::SignIn => "sign-in",
            Step::Sender => "sender",
            Step::Recipient => "recipient",
            Step::Content => "content",
        };
        write!(f, "{}: {step}: {}", self.server, self.cause)
    }
}

impl Failure {
    /// Whether the failure is permanent. Only a refusal of this recipient or content is: a refused sign-in or sender is
    /// a fault of the configuration, which can be corrected.
    pub(super) fn is_final(&self) -> bool {
        let is_about_email = matches!(self.step, Step::Recipient | Step::Content);
        is_about_email && matches!(self.cause, Cause::Refused(550..=559, _))
    }

    /// Converts the failure into an error for the operator: what failed, and which setting to check.
    pub(super) fn into_error(self, mail: &Mail, to: &str) -> Error {
        let code = if self.is_final() { Code::Invalid } else { Code::Busy };
        let server = &self.server;
        let reason = &self.cause;
        let unsent = format!("The test message to {to} wasn't sent");
        let text = match (&self.cause, self.step) {
            (Cause::Certificate(_), _) => format!(
                "{unsent}: {server} isn't trusted ({reason}). Check mail.host. If the certificate is your own, name a file with it, or with your authority's, in mail.ca_file."
            ),
            (Cause::Refused(..), Step::SignIn) => format!(
                "{server} refused the sign-in as {}: {reason}. Check mail.user and mail.password.",
                mail.user.as_deref().unwrap_or_default()
            ),
            (Cause::Refused(..), Step::Sender) => format!(
                "{server} doesn't accept {} as the sender: {reason}. Check mail.from, and whether the server wants a sign-in (mail.user, mail.password).",
                mail.from.as_deref().unwrap_or_default()
            ),
            (Cause::Refused(500.., _), Step::Recipient | Step::Content) => format!(
                "{server} refused the test message to {to}: {reason}. Check the address, or ask the people who run that server."
            ),
            (Cause::Refused(..), _) => {
                format!("{unsent}: {server} can't take it now ({reason}). Try again later.")
            }
            (_, Step::Connect) => format!(
                "{unsent}: can't connect to {server} ({reason}). Check mail.host and mail.port, and that no firewall is in the way."
            ),
            (Cause::Timeout, _) => format!(
                "{unsent}: {server} accepted the connection but didn't answer in time. Check mail.port and mail.security: port 465 needs \"tls\", port 587 \"starttls\"."
            ),
            _ => {
                format!("{unsent}: {server} doesn't answer as expected ({reason}). Check mail.port and mail.security.")
            }
        };
        Error::new(code).explain(text)
    }
}

/// A plain or encrypted connection.
trait Io: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Io for T {}
type Stream = Box<dyn Io>;

/// A connection on which commands and responses alternate.
struct Session<S> {
    stream: BufReader<S>,
    /// The extensions in the response to EHLO, one per line, in upper case.
    extensions: Vec<String>,
}

/// A response of the server.
struct Reply {
    code: u16,
    lines: Vec<String>,
}

impl Reply {
    /// Returns the response, if its code has the expected class (2 done, 3 continue).
    fn expect_class(self, class: u16) -> Result<Self, Cause> {
        match self.code / 100 {
            found if found == class => Ok(self),
            4 | 5 => Err(Cause::Refused(self.code, text::line(&self.lines.join(" ")))),
            _ => Err(Cause::Protocol("an unexpected answer")),
        }
    }
}

/// Tries the mail server of the settings as far as the sender's address, without a mail. Returns whether the server
/// offers an encryption that `mail.security` does not use; `false` without a mail server.
/// Errors: The step that failed, and why; also when the server needs longer than `limit`.
pub async fn try_server(mail: &Mail, limit: Duration) -> Result<bool, (Step, String)> {
    let Some(host) = &mail.host else { return Ok(false) };
    let client = Client::open(host, mail);
    let client = client.map_err(|error| (Step::Encrypt, error.detail().unwrap_or_default().to_owned()))?;
    let offered = client.try_sender(mail.from.as_deref().unwrap_or_default(), limit).await;
    offered
        .map(|offers_encryption| offers_encryption && mail.security == MailSecurity::None)
        .map_err(|(step, cause)| (step, cause.to_string()))
}

impl<S: AsyncRead + AsyncWrite + Unpin> Session<S> {
    fn new(stream: S) -> Self {
        Self { stream: BufReader::new(stream), extensions: Vec::new() }
    }

    async fn read_reply(&mut self) -> Result<Reply, Cause> {
        let mut lines = Vec::new();
        while lines.len() < MAX_REPLY_LINES {
            let mut line = Vec::new();
            (&mut self.stream).take(MAX_LINE_BYTES).read_until(b'\n', &mut line).await?;
            if line.is_empty() {
                return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
            }
            let line = String::from_utf8_lossy(&line);
            let (code, rest) = line.split_at_checked(3).ok_or(Cause::Protocol("no answer of a mail server"))?;
            let code = code.parse().map_err(|_| Cause::Protocol("no answer of a mail server"))?;
            let is_last = !rest.starts_with('-');
            lines.push(rest.trim_start_matches('-').trim().to_owned());
            if is_last {
                return Ok(Reply { code, lines });
            }
        }
        Err(Cause::Protocol("an answer without end"))
    }

    async fn write(&mut self, bytes: &[u8]) -> Result<(), Cause> {
        self.stream.get_mut().write_all(bytes).await?;
        Ok(self.stream.get_mut().flush().await?)
    }

    async fn send_command(&mut self, line: &str, class: u16) -> Result<Reply, Cause> {
        // A line break would start a second command.
        if line.chars().any(char::is_control) {
            return Err(Cause::Protocol("a command with control characters"));
        }
        self.write(format!("{line}\r\n").as_bytes()).await?;
        self.read_reply().await?.expect_class(class)
    }

    async fn send_ehlo(&mut self, name: &str) -> Result<(), Cause> {
        let reply = self.send_command(&format!("EHLO {name}"), 2).await?;
        self.extensions = reply.lines.into_iter().map(|line| line.to_ascii_uppercase()).collect();
        Ok(())
    }

    fn offers(&self, word: &str) -> bool {
        self.extensions.iter().any(|line| line.split(' ').next() == Some(word))
    }

    /// Authenticates by AUTH PLAIN (RFC 4616), or by LOGIN where only that is offered.
    async fn sign_in(&mut self, user: &str, password: &Secret) -> Result<(), Cause> {
        let auth = self.extensions.iter().find_map(|line| line.strip_prefix("AUTH ")).unwrap_or_default().to_owned();
        let offers = |name: &str| auth.split(' ').any(|offered| offered == name);
        if offers("PLAIN") {
            let initial = STANDARD.encode(format!("\0{user}\0{}", password.0));
            self.send_command(&format!("AUTH PLAIN {initial}"), 2).await?;
        } else if offers("LOGIN") {
            self.send_command("AUTH LOGIN", 3).await?;
            self.send_command(&STANDARD.encode(user), 3).await?;
            self.send_command(&STANDARD.encode(&password.0), 2).await?;
        } else {
            return Err(Cause::Protocol("the server offers neither AUTH PLAIN nor AUTH LOGIN"));
        }
        Ok(())
    }
}

impl Client {
    /// Creates the client of the configured server.
    /// Errors: `internal` if `mail.ca_file` cannot be read, or the host is not valid for TLS.
    pub(super) fn open(host: &str, mail: &Mail) -> Result<Self> {
        let tls = if mail.security == MailSecurity::None {
            None
        } else {
            let name = ServerName::try_from(host.to_owned());
            let name = name.map_err(|error| Error::internal(format_args!("mail.host {host}: {error}")))?;
            Some((TlsConnector::from(Arc::new(trust::client_config(mail.ca_file.as_deref())?)), name))
        };
        let hostname = hostname::get().ok().and_then(|name| name.into_string().ok());
        let is_valid =
            |name: &String| !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-.".contains(&b));
        Ok(Self {
            host: host.to_owned(),
            port: mail.port(),
            security: mail.security,
            tls,
            login: mail.user.clone().zip(mail.password.clone()),
            name: hostname.filter(is_valid).unwrap_or_else(|| "[127.0.0.1]".to_owned()),
            timer: Arc::new(|limit| Box::pin(tokio::time::sleep(limit))),
            idle: Mutex::default(),
        })
    }

    /// Sets another timer.
    #[cfg(test)]
    pub(super) fn with_timer(self, timer: Timer) -> Self {
        Self { timer, ..self }
    }

    /// Sends a mail to its recipients. Once the server has accepted it, nothing can make it fail.
    /// Errors: The step that failed, and why.
    pub(super) async fn send(&self, from: &str, to: &[&str], content: &[u8]) -> Result<(), Failure> {
        let step = Mutex::new(Step::Connect);
        let exchange = async {
            let mut session = match self.take_idle().await {
                Some(session) => session,
                None => self.connect(&step).await?,
            };
            match self.transfer(&mut session, &step, from, to, content).await {
                Ok(()) => {
                    self.idle.lock().push((session, Instant::now()));
                    Ok(())
                }
                Err(cause) => {
                    if matches!(cause, Cause::Refused(..)) {
                        self.quit(session).await;
                    }
                    Err(cause)
                }
            }
        };
        let result = tokio::select! {
            biased;
            result = exchange => result,
            () = (self.timer)(TOTAL_TIMEOUT) => Err(Cause::Timeout),
        };
        let step = *step.lock();
        result.map_err(|cause| Failure { server: format!("{}:{}", self.host, self.port), step, cause })
    }

    /// Connects, signs in and names the sender, without a mail. Returns whether the server offers to encrypt a
    /// connection that is not encrypted.
    /// Errors: The step that failed, and why; also when it is not done within `limit`.
    async fn try_sender(&self, from: &str, limit: Duration) -> Result<bool, (Step, Cause)> {
        let step = Mutex::new(Step::Connect);
        let exchange = async {
            let mut session = self.connect(&step).await?;
            *step.lock() = Step::Sender;
            self.with_timeout(STEP_TIMEOUT, session.send_command(&format!("MAIL FROM:<{from}>"), 2)).await?;
            let offers_encryption = session.offers("STARTTLS");
            self.quit(session).await;
            Ok(offers_encryption)
        };
        let result = self.with_timeout(limit, exchange).await;
        result.map_err(|cause| (*step.lock(), cause))
    }

    /// Closes the kept connections.
    pub(super) async fn close_idle(&self) {
        let kept = std::mem::take(&mut *self.idle.lock());
        for (session, _) in kept {
            self.quit(session).await;
        }
    }

    async fn with_timeout<T>(&self, limit: Duration, work: impl Future<Output = Result<T, Cause>>) -> Result<T, Cause> {
        tokio::select! {
            biased;
            done = work => done,
            () = (self.timer)(limit) => Err(Cause::Timeout),
        }
    }

    /// Returns a kept connection that still works.
    async fn take_idle(&self) -> Option<Session<Stream>> {
        loop {
            let (mut session, since) = self.idle.lock().pop()?;
            if since.elapsed() < IDLE_TIMEOUT
                && self.with_timeout(QUIT_TIMEOUT, session.send_command("RSET", 2)).await.is_ok()
            {
                return Some(session);
            }
        }
    }

    /// Sends QUIT without waiting for the response, which changes nothing.
    async fn quit(&self, mut session: Session<Stream>) {
        drop(self.with_timeout(QUIT_TIMEOUT, session.write(b"QUIT\r\n")).await);
    }

    async fn connect(&self, step: &Mutex<Step>) -> Result<Session<Stream>, Cause> {
        let set_step = |next: Step| *step.lock() = next;
        let tcp = self.connect_tcp().await?;
        let mut session = match (&self.tls, self.security) {
            (Some(tls), MailSecurity::Tls) => {
                set_step(Step::Encrypt);
                let mut session = self.encrypt(tls, tcp).await?;
                set_step(Step::Greet);
                self.with_timeout(STEP_TIMEOUT, async { session.read_reply().await?.expect_class(2) }).await?;
                session
            }
            (Some(tls), _) => {
                set_step(Step::Greet);
                let mut session = Session::new(tcp);
                self.with_timeout(STEP_TIMEOUT, async { session.read_reply().await?.expect_class(2) }).await?;
                self.with_timeout(STEP_TIMEOUT, session.send_ehlo(&self.name)).await?;
                set_step(Step::Encrypt);
                if !session.offers("STARTTLS") {
                    return Err(Cause::Protocol("the server does not offer STARTTLS"));
                }
                self.with_timeout(STEP_TIMEOUT, session.send_command("STARTTLS", 2)).await?;
                // Bytes before the encryption could come from an attacker (CVE-2011-0411).
                if !session.stream.buffer().is_empty() {
                    return Err(Cause::Protocol("an answer before the encryption"));
                }
                self.encrypt(tls, session.stream.into_inner()).await?
            }
            (None, _) => {
                set_step(Step::Greet);
                let mut session = Session::new(Box::new(tcp) as Stream);
                self.with_timeout(STEP_TIMEOUT, async { session.read_reply().await?.expect_class(2) }).await?;
                session
            }
        };
        set_step(Step::Greet);
        self.with_timeout(STEP_TIMEOUT, session.send_ehlo(&self.name)).await?;
        if let Some((user, password)) = &self.login {
            set_step(Step::SignIn);
            self.with_timeout(STEP_TIMEOUT, session.sign_in(user, password)).await?;
        }
        Ok(session)
    }

    async fn connect_tcp(&self) -> Result<TcpStream, Cause> {
        let addresses = self.with_timeout(STEP_TIMEOUT, async { Ok(look_up(&self.host, self.port).await?) }).await?;
        let mut last = Cause::Protocol("the host name has no address");
        for address in addresses {
            match self.with_timeout(CONNECT_TIMEOUT, async { Ok(TcpStream::connect(address).await?) }).await {
                Ok(stream) => return Ok(stream),
                Err(cause) => last = cause,
            }
        }
        Err(last)
    }

    async fn encrypt(
        &self,
        (connector, name): &(TlsConnector, ServerName<'static>),
        tcp: TcpStream,
    ) -> Result<Session<Stream>, Cause> {
        let stream = self.with_timeout(STEP_TIMEOUT, async { Ok(connector.connect(name.clone(), tcp).await?) }).await?;
        Ok(Session::new(Box::new(stream)))
    }

    async fn transfer(
        &self,
        session: &mut Session<Stream>,
        step: &Mutex<Step>,
        from: &str,
        to: &[&str],
        content: &[u8],
    ) -> Result<(), Cause> {
        let set_step = |next: Step| *step.lock() = next;
        set_step(Step::Sender);
        // An address with characters beyond ASCII needs RFC 6531.
        let utf8 = if from.is_ascii() && to.iter().all(|to| to.is_ascii()) { "" } else { " SMTPUTF8" };
        self.with_timeout(STEP_TIMEOUT, session.send_command(&format!("MAIL FROM:<{from}>{utf8}"), 2)).await?;
        set_step(Step::Recipient);
        for to in to {
            self.with_timeout(STEP_TIMEOUT, session.send_command(&format!("RCPT TO:<{to}>"), 2)).await?;
        }
        set_step(Step::Content);
        self.with_timeout(STEP_TIMEOUT, session.send_command("DATA", 3)).await?;
        let stuffed = encode_content(content);
        self.with_timeout(CONTENT_TIMEOUT, session.write(&stuffed)).await?;
        self.with_timeout(CONTENT_TIMEOUT, async { session.read_reply().await?.expect_class(2).map(drop) }).await
    }
}

/// Encodes the content for DATA (RFC 5321 §4.5.2): lines end with CRLF only, a leading dot is doubled, and a single dot
/// ends the content.
fn encode_content(content: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(content.len() + 64);
    let content = content.strip_suffix(b"\n").unwrap_or(content);
    for line in content.split(|byte| *byte == b'\n') {
        let mut line = line.iter().copied().filter(|byte| *byte != b'\r').peekable();
        if line.peek() == Some(&b'.') {
            out.push(b'.');
        }
        out.extend(line);
        out.extend_from_slice(b"\r\n");
    }
    out.extend_from_slice(b".\r\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_cannot_contain_the_end_of_data() {
        for (content, sent) in [
            (&b"a\r\nb\r\n"[..], &b"a\r\nb\r\n.\r\n"[..]),
            (b"a", b"a\r\n.\r\n"),
            (b"", b"\r\n.\r\n"),
            (b"a\r\n.\r\nMAIL FROM:<x>\r\n", b"a\r\n..\r\nMAIL FROM:<x>\r\n.\r\n"),
            (b"a\n.\nb", b"a\r\n..\r\nb\r\n.\r\n"),
            (b"a\r.\r\nb", b"a.\r\nb\r\n.\r\n"),
            (b"a\n\r.\r\nb", b"a\r\n..\r\nb\r\n.\r\n"),
        ] {
            assert_eq!(encode_content(content), sent, "{content:?}");
        }
    }
}
