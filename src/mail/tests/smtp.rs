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
pub enum Way {
    Plain,
    Starttls,
    Tls,
}

/// The server's response to an e-mail.
#[derive(Clone, Copy, Debug)]
pub enum Answer {
    /// Accepts it.
    Take,
    /// Responds this to the recipient.
    Addressee(&'static str),
    /// Accepts it, and disconnects before the response.
    Vanish,
    /// Accepts it, and never responds.
    Hold,
}

/// An e-mail that the server received.
#[derive(Clone, Debug)]
pub struct Given {
    pub from: String,
    pub to: String,
    pub data: String,
    pub encrypted: bool,
    pub user: Option<String>,
}

impl Given {
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
    way: Way,
    login: Option<(&'static str, &'static str)>,
    answers: Mutex<VecDeque<Answer>>,
    given: Mutex<Vec<Given>>,
    news: Mutex<mpsc::Sender<()>>,
}

/// A server that listens on a free port of `localhost` until the test ends.
pub struct Server {
    pub port: u16,
    shared: Arc<Shared>,
    news: mpsc::Receiver<()>,
}

impl Server {
    /// Starts a server. `answers` are the responses to the first e-mails; further ones are accepted.
    pub fn start(way: Way, login: Option<(&'static str, &'static str)>, answers: &[Answer]) -> Self {
        Self::on(TcpListener::bind(("127.0.0.1", 0)).unwrap(), way, login, answers)
    }

    /// Starts a server without encryption on the given port.
    pub fn at(port: u16) -> Self {
        Self::on(TcpListener::bind(("127.0.0.1", port)).unwrap(), Way::Plain, None, &[])
    }

    fn on(listener: TcpListener, way: Way, login: Option<(&'static str, &'static str)>, answers: &[Answer]) -> Self {
        let port = listener.local_addr().unwrap().port();
        let (tell, news) = mpsc::channel();
        let shared = Arc::new(Shared {
            way,
            login,
            answers: Mutex::new(answers.iter().copied().collect()),
            given: Mutex::default(),
            news: Mutex::new(tell),
        });
        let at_work = shared.clone();
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let shared = at_work.clone();
                thread::spawn(move || drop(shared.serve(client)));
            }
        });
        Self { port, shared, news }
    }

    /// Returns the e-mails received so far.
    pub fn given(&self) -> Vec<Given> {
        self.shared.given.lock().unwrap().clone()
    }

    /// Waits for the next e-mail.
    pub fn wait(&self) {
        self.news.recv_timeout(std::time::Duration::from_secs(30)).unwrap();
    }
}

trait Stream: Read + Write + Send {}
impl<T: Read + Write + Send> Stream for T {}

/// The state of one connection.
#[derive(Default)]
struct Talk {
    encrypted: bool,
    user: Option<String>,
    from: String,
    to: String,
    answer: Option<Answer>,
}

impl Shared {
    fn serve(&self, client: TcpStream) -> std::io::Result<()> {
        let mut talk = Talk::default();
        let mut plain = None;
        if self.way == Way::Tls {
            talk.encrypted = true;
            return self.converse(Box::new(encrypt(client)), &mut talk, true).map(drop);
        }
        plain.replace(client.try_clone()?);
        if self.converse(Box::new(client), &mut talk, true)? {
            let stream = encrypt(plain.take().ok_or(std::io::ErrorKind::NotConnected)?);
            talk.encrypted = true;
            self.converse(Box::new(stream), &mut talk, false)?;
        }
        Ok(())
    }

    /// Serves a connection until its end. Returns whether the client starts TLS now.
    fn converse(&self, stream: Box<dyn Stream>, talk: &mut Talk, greet: bool) -> std::io::Result<bool> {
        let mut stream = BufReader::new(stream);
        if greet {
            say(&mut stream, "220 localhost ready")?;
        }
        loop {
            let line = read(&mut stream)?;
            let verb = line.split([' ', ':']).next().unwrap_or_default().to_ascii_uppercase();
            let open = self.login.is_none() || talk.user.is_some();
            match verb.as_str() {
                "EHLO" => {
                    say(&mut stream, "250-localhost")?;
                    if self.way == Way::Starttls && !talk.encrypted {
                        say(&mut stream, "250-STARTTLS")?;
                    } else if self.login.is_some() {
                        say(&mut stream, "250-AUTH PLAIN LOGIN")?;
                    }
                    say(&mut stream, "250 8BITMIME")?;
                }
                "STARTTLS" => {
                    say(&mut stream, "220 go ahead")?;
                    return Ok(true);
                }
                "AUTH" => {
                    let shown = line.rsplit(' ').next().unwrap_or_default();
                    let (user, password) = self.login.unwrap_or_default();
                    let right = base64(format!("\0{user}\0{password}").as_bytes());
                    if shown == right {
                        talk.user = Some(user.to_owned());
                        say(&mut stream, "235 welcome")?;
                    } else {
                        say(&mut stream, "535 5.7.8 wrong password")?;
                    }
                }
                "MAIL" if !open => say(&mut stream, "530 5.7.0 sign in first")?,
                "MAIL" => {
                    talk.from = line;
                    say(&mut stream, "250 ok")?;
                }
                "RCPT" => {
                    talk.to = line;
                    let answer = self.answers.lock().unwrap().pop_front().unwrap_or(Answer::Take);
                    talk.answer = Some(answer);
                    say(&mut stream, if let Answer::Addressee(reply) = answer { reply } else { "250 ok" })?;
                }
                "DATA" => {
                    say(&mut stream, "354 go on")?;
                    let mut data = String::new();
                    loop {
                        let line = read(&mut stream)?;
                        if line == "." {
                            break;
                        }
                        data.push_str(line.strip_prefix('.').unwrap_or(&line));
                        data.push_str("\r\n");
                    }
                    self.given.lock().unwrap().push(Given {
                        from: talk.from.clone(),
                        to: talk.to.clone(),
                        data,
                        encrypted: talk.encrypted,
                        user: talk.user.clone(),
                    });
                    self.news.lock().unwrap().send(()).unwrap_or_default();
                    match talk.answer {
                        Some(Answer::Vanish) => return Ok(false),
                        Some(Answer::Hold) => {
                            // Wait until the client disconnects.
                            drop(read(&mut stream));
                            return Ok(false);
                        }
                        _ => say(&mut stream, "250 taken")?,
                    }
                }
                "QUIT" => {
                    say(&mut stream, "221 bye")?;
                    return Ok(false);
                }
                "RSET" | "NOOP" => say(&mut stream, "250 ok")?,
                _ => say(&mut stream, "502 what?")?,
            }
        }
    }
}

fn read(stream: &mut BufReader<Box<dyn Stream>>) -> std::io::Result<String> {
    let mut line = Vec::new();
    if stream.read_until(b'\n', &mut line)? == 0 {
        return Err(std::io::ErrorKind::UnexpectedEof.into());
    }
    let line = String::from_utf8_lossy(&line).into_owned();
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

fn say(stream: &mut BufReader<Box<dyn Stream>>, line: &str) -> std::io::Result<()> {
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
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let number = chunk.iter().fold(0_u32, |number, byte| number << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let email = LETTERS[(number >> (18 - 6 * place) & 63) as usize];
            text.push(if place <= chunk.len() { char::from(email) } else { '=' });
        }
    }
    text
}

/// Decodes base64.
pub fn unbase64(text: &str) -> Vec<u8> {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits: Vec<u32> = text
        .bytes()
        .filter_map(|b| LETTERS.iter().position(|l| *l == b))
        .map(|at| u32::try_from(at).unwrap())
        .collect();
    let mut bytes = Vec::new();
    for chunk in digits.chunks(4) {
        let number = chunk.iter().fold(0, |number, digit| number << 6 | digit) << (6 * (4 - chunk.len()));
        bytes.extend_from_slice(&number.to_be_bytes()[1..chunk.len()]);
    }
    bytes
}
