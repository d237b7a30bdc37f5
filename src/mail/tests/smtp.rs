//! Mail server for tests: speaks SMTP over TCP (RFC 5321, STARTTLS, AUTH PLAIN and LOGIN), responds as configured, and
//! records received e-mails.

use std::{
    collections::VecDeque,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex, mpsc},
    thread,
};

use rustls::{
    ServerConfig, ServerConnection, StreamOwned,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
};

/// The self-signed certificate of `localhost`.
pub const CERTIFICATE: &str = include_str!("localhost.crt");
/// Its key, which is public.
const KEY: &str = include_str!("localhost.key");

/// The encryption of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encryption {
    Plain,
    Starttls,
    Tls,
}

/// The server's response to an e-mail.
#[derive(Clone, Copy, Debug)]
pub enum Answer {
    /// Accepts it.
    Accept,
    /// Responds this to the recipient.
    Recipient(&'static str),
    /// Accepts it, and disconnects before the response.
    Disconnect,
    /// Accepts it, and never responds.
    Stall,
}

/// An e-mail that the server received.
#[derive(Clone, Debug)]
pub struct ReceivedEmail {
    pub from: String,
    pub to: String,
    pub data: String,
    pub encrypted: bool,
    pub user: Option<String>,
}

impl ReceivedEmail {
    /// Returns all values of a header, unfolded.
    pub fn headers(&self, name: &str) -> Vec<String> {
        let head = self.data.split("\r\n\r\n").next().unwrap_or_default().replace("\r\n ", " ").replace("\r\n\t", " ");
        let of = |line: &str| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
        };
        head.split("\r\n").filter_map(of).collect()
    }
}

struct Shared {
    encryption: Encryption,
    login: Option<(&'static str, &'static str)>,
    answers: Mutex<VecDeque<Answer>>,
    received: Mutex<Vec<ReceivedEmail>>,
    arrivals: Mutex<mpsc::Sender<()>>,
}

/// A server that listens on a free port of `localhost` until the test ends.
pub struct Server {
    pub port: u16,
    shared: Arc<Shared>,
    arrivals: mpsc::Receiver<()>,
}

impl Server {
    /// Starts a server. `answers` are the responses to the first e-mails; further ones are accepted.
    pub fn start(encryption: Encryption, login: Option<(&'static str, &'static str)>, answers: &[Answer]) -> Self {
        Self::listen(TcpListener::bind(("127.0.0.1", 0)).unwrap(), encryption, login, answers)
    }

    /// Starts a server without encryption on the given port.
    pub fn start_at(port: u16) -> Self {
        Self::listen(TcpListener::bind(("127.0.0.1", port)).unwrap(), Encryption::Plain, None, &[])
    }

    fn listen(
        listener: TcpListener,
        encryption: Encryption,
        login: Option<(&'static str, &'static str)>,
        answers: &[Answer],
    ) -> Self {
        let port = listener.local_addr().unwrap().port();
        let (tell, arrivals) = mpsc::channel();
        let shared = Arc::new(Shared {
            encryption,
            login,
            answers: Mutex::new(answers.iter().copied().collect()),
            received: Mutex::default(),
            arrivals: Mutex::new(tell),
        });
        let served = shared.clone();
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let shared = served.clone();
                thread::spawn(move || drop(shared.serve(client)));
            }
        });
        Self { port, shared, arrivals }
    }

    /// Returns the e-mails received so far.
    pub fn received(&self) -> Vec<ReceivedEmail> {
        self.shared.received.lock().unwrap().clone()
    }

    /// Waits for the next e-mail.
    pub fn wait(&self) {
        self.arrivals.recv_timeout(std::time::Duration::from_secs(30)).unwrap();
    }
}

trait Stream: Read + Write + Send {}
impl<T: Read + Write + Send> Stream for T {}

/// The state of one connection.
#[derive(Default)]
struct SmtpSession {
    encrypted: bool,
    user: Option<String>,
    from: String,
    to: String,
    answer: Option<Answer>,
}

impl Shared {
    fn serve(&self, client: TcpStream) -> std::io::Result<()> {
        let mut session = SmtpSession::default();
        let mut plain = None;
        if self.encryption == Encryption::Tls {
            session.encrypted = true;
            return self.converse(Box::new(encrypt(client)), &mut session, true).map(drop);
        }
        plain.replace(client.try_clone()?);
        if self.converse(Box::new(client), &mut session, true)? {
            let stream = encrypt(plain.take().ok_or(std::io::ErrorKind::NotConnected)?);
            session.encrypted = true;
            self.converse(Box::new(stream), &mut session, false)?;
        }
        Ok(())
    }

    /// Serves a connection until its end. Returns whether the client starts TLS now.
    fn converse(&self, stream: Box<dyn Stream>, session: &mut SmtpSession, greet: bool) -> std::io::Result<bool> {
        let mut stream = BufReader::new(stream);
        if greet {
            respond(&mut stream, "220 localhost ready")?;
        }
        loop {
            let line = read_line(&mut stream)?;
            let verb = line.split([' ', ':']).next().unwrap_or_default().to_ascii_uppercase();
            let open = self.login.is_none() || session.user.is_some();
            match verb.as_str() {
                "EHLO" => {
                    respond(&mut stream, "250-localhost")?;
                    if self.encryption == Encryption::Starttls && !session.encrypted {
                        respond(&mut stream, "250-STARTTLS")?;
                    } else if self.login.is_some() {
                        respond(&mut stream, "250-AUTH PLAIN LOGIN")?;
                    }
                    respond(&mut stream, "250 8BITMIME")?;
                }
                "STARTTLS" => {
                    respond(&mut stream, "220 go ahead")?;
                    return Ok(true);
                }
                "AUTH" => {
                    let shown = line.rsplit(' ').next().unwrap_or_default();
                    let (user, password) = self.login.unwrap_or_default();
                    let right = base64(format!("\0{user}\0{password}").as_bytes());
                    if shown == right {
                        session.user = Some(user.to_owned());
                        respond(&mut stream, "235 welcome")?;
                    } else {
                        respond(&mut stream, "535 5.7.8 wrong password")?;
                    }
                }
                "MAIL" if !open => respond(&mut stream, "530 5.7.0 sign in first")?,
                "MAIL" => {
                    session.from = line;
                    respond(&mut stream, "250 ok")?;
                }
                "RCPT" => {
                    session.to = line;
                    let answer = self.answers.lock().unwrap().pop_front().unwrap_or(Answer::Accept);
                    session.answer = Some(answer);
                    respond(&mut stream, if let Answer::Recipient(reply) = answer { reply } else { "250 ok" })?;
                }
                "DATA" => {
                    respond(&mut stream, "354 go on")?;
                    let mut data = String::new();
                    loop {
                        let line = read_line(&mut stream)?;
                        if line == "." {
                            break;
                        }
                        data.push_str(line.strip_prefix('.').unwrap_or(&line));
                        data.push_str("\r\n");
                    }
                    self.received.lock().unwrap().push(ReceivedEmail {
                        from: session.from.clone(),
                        to: session.to.clone(),
                        data,
                        encrypted: session.encrypted,
                        user: session.user.clone(),
                    });
                    self.arrivals.lock().unwrap().send(()).unwrap_or_default();
                    match session.answer {
                        Some(Answer::Disconnect) => return Ok(false),
                        Some(Answer::Stall) => {
                            // Wait until the client disconnects.
                            drop(read_line(&mut stream));
                            return Ok(false);
                        }
                        _ => respond(&mut stream, "250 taken")?,
                    }
                }
                "QUIT" => {
                    respond(&mut stream, "221 bye")?;
                    return Ok(false);
                }
                "RSET" | "NOOP" => respond(&mut stream, "250 ok")?,
                _ => respond(&mut stream, "502 what?")?,
            }
        }
    }
}

fn read_line(stream: &mut BufReader<Box<dyn Stream>>) -> std::io::Result<String> {
    let mut line = Vec::new();
    if stream.read_until(b'\n', &mut line)? == 0 {
        return Err(std::io::ErrorKind::UnexpectedEof.into());
    }
    let line = String::from_utf8_lossy(&line).into_owned();
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

fn respond(stream: &mut BufReader<Box<dyn Stream>>, line: &str) -> std::io::Result<()> {
    stream.get_mut().write_all(format!("{line}\r\n").as_bytes())?;
    stream.get_mut().flush()
}

fn encrypt(client: TcpStream) -> StreamOwned<ServerConnection, TcpStream> {
    let certificate = CertificateDer::from_pem_slice(CERTIFICATE.as_bytes()).unwrap();
    let key = PrivateKeyDer::from_pem_slice(KEY.as_bytes()).unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = config.with_no_client_auth().with_single_cert(vec![certificate], key).unwrap();
    StreamOwned::new(ServerConnection::new(Arc::new(config)).unwrap(), client)
}

/// Encodes base64 (RFC 4648).
pub fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let number = chunk.iter().fold(0_u32, |number, byte| number << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let digit = ALPHABET[(number >> (18 - 6 * place) & 63) as usize];
            text.push(if place <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

/// Decodes base64.
pub fn unbase64(text: &str) -> Vec<u8> {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits: Vec<u32> = text
        .bytes()
        .filter_map(|b| ALPHABET.iter().position(|l| *l == b))
        .map(|at| u32::try_from(at).unwrap())
        .collect();
    let mut bytes = Vec::new();
    for chunk in digits.chunks(4) {
        let number = chunk.iter().fold(0, |number, digit| number << 6 | digit) << (6 * (4 - chunk.len()));
        bytes.extend_from_slice(&number.to_be_bytes()[1..chunk.len()]);
    }
    bytes
}
