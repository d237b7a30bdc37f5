//! Certificates from an authority by ACME (RFC 8555): requested when the server starts for the first time, and renewed
//! long before they end.

use std::{
    collections::HashMap,
    fs, io,
    path::{Path, PathBuf},
    pin::Pin,
    sync::Arc,
    time::Duration,
};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Collected, Full};
use instant_acme::{
    Account, AccountCredentials, AuthorizationStatus, BodyWrapper, BytesResponse, ChallengeHandle, ChallengeType,
    HttpClient, Identifier, NewAccount, NewOrder, Order, OrderStatus, RetryPolicy,
};
use rcgen::{CertificateParams, CustomExtension, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _};
use tokio::time::Instant;
use ureq::{Agent, tls::RootCerts};

use crate::{
    cli::prelude::*,
    config,
    http::{Certificate, Certificates, Challenges},
    kernel::{Clock, folder, resolver::http_agent},
    store::entries::CERTIFICATES,
};

/// The file with the account at the authority.
const ACCOUNT_FILE: &str = "account.json";

/// How often it is checked whether a certificate must be requested.
const CHECK_INTERVAL: Duration = Duration::from_secs(10);

/// The pause after a failure, doubled by each further one, and the longest pause. An authority limits the failures of a
/// host name, often to five an hour.
const FIRST_PAUSE: Duration = Duration::from_mins(1);
const LONGEST_PAUSE: Duration = Duration::from_hours(6);

/// Time and size limits of an authority's response.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(30);
const MAX_RESPONSE_BYTES: u64 = 1 << 20;

/// How long the authority may take to check a challenge and to issue a certificate.
const PATIENCE: RetryPolicy = RetryPolicy::new().timeout(Duration::from_mins(2));

type Fault = Box<dyn std::error::Error + Send + Sync>;

/// The certificates of an authority.
pub struct Acme {
    settings: config::Acme,
    folder: PathBuf,
    certificates: Arc<Certificates>,
    challenges: Arc<Challenges>,
    /// Whether the server answers the authority by http, too.
    has_redirect: bool,
    clock: Clock,
    /// The next attempt after failures, and their number, by host name.
    failures: HashMap<String, (Instant, u32)>,
}

impl Acme {
    /// Reads the certificates that were obtained before. Returns `None` if ACME is off.
    pub fn open(
        config: &config::Config,
        data_dir: &Path,
        certificates: &Arc<Certificates>,
        challenges: &Arc<Challenges>,
    ) -> Option<Self> {
        let settings = config.acme.clone();
        let folder = data_dir.join(CERTIFICATES);
        for domain in &settings.domains {
            match read_certificate(&folder, domain) {
                Ok(Some(certificate)) => certificates.set_for(domain, certificate),
                Ok(None) => {}
                Err(error) => {
                    tracing::warn!(domain, detail = ?error, "a certificate cannot be read; it is requested again");
                }
            }
        }
        (!settings.domains.is_empty()).then(|| Self {
            settings,
            folder,
            certificates: Arc::clone(certificates),
            challenges: Arc::clone(challenges),
            has_redirect: config.tls.redirect.is_some(),
            clock: Clock::system(),
            failures: HashMap::new(),
        })
    }

    /// Requests the certificates that are missing or due for renewal, for ever.
    pub async fn run(mut self) {
        let mut ticks = tokio::time::interval(CHECK_INTERVAL);
        loop {
            ticks.tick().await;
            for domain in self.settings.domains.clone() {
                if self.is_due(&domain) {
                    self.renew(&domain).await;
                }
            }
        }
    }

    fn is_due(&self, domain: &str) -> bool {
        let waits = self.failures.get(domain).is_some_and(|(next, _)| *next > Instant::now());
        let fresh =
            self.certificates.of(domain).is_some_and(|certificate| certificate.validity().renewal() > self.clock.now());
        !waits && !fresh
    }

    async fn renew(&mut self, domain: &str) {
        match self.obtain(domain).await {
            Ok(certificate) => {
                tracing::info!(domain, ends = %certificate.validity().ends, "certificate obtained");
                self.failures.remove(domain);
                self.certificates.set_for(domain, certificate);
            }
            Err(error) => {
                let count = self.failures.get(domain).map_or(0, |(_, count)| *count);
                let pause = FIRST_PAUSE.saturating_mul(1 << count.min(16)).min(LONGEST_PAUSE);
                tracing::error!(domain, %error, retry_seconds = pause.as_secs(), "no certificate from the authority");
                self.certificates.set_fault(domain, &error.to_string());
                self.failures.insert(domain.to_owned(), (Instant::now() + pause, count + 1));
            }
        }
    }

    /// Obtains a certificate and stores it.
    async fn obtain(&self, domain: &str) -> Result<Certificate, Fault> {
        let account = self.account().await?;
        let identifiers = [Identifier::Dns(domain.to_owned())];
        let mut order = account.new_order(&NewOrder::new(&identifiers)).await?;
        let mut open = OpenChallenge { acme: self, domain, token: None };
        self.answer_challenges(&mut order, &mut open).await?;
        if order.poll_ready(&PATIENCE).await? != OrderStatus::Ready {
            return Err(refusal(&mut order).await);
        }
        drop(open);
        let key = order.finalize().await?;
        let chain = order.poll_certificate(&PATIENCE).await?;
        let certificate = Certificate::from_pem(chain.as_bytes(), key.as_bytes()).map_err(|error| detail(&error))?;
        folder::write(&self.folder, &file_name(domain), format!("{chain}{key}").as_bytes())?;
        Ok(certificate)
    }

    /// Answers the authority's challenges and tells it so.
    async fn answer_challenges(&self, order: &mut Order, open: &mut OpenChallenge<'_>) -> Result<(), Fault> {
        let mut authorizations = order.authorizations();
        while let Some(authorization) = authorizations.next().await {
            let mut authorization = authorization?;
            if authorization.status != AuthorizationStatus::Pending {
                continue;
            }
            let kind = self.challenge_type(open.domain);
            let challenge = authorization.challenge(kind);
            let mut challenge = challenge.ok_or("the authority does not offer a challenge that Atrium can answer")?;
            open.answer(&challenge)?;
            challenge.set_ready().await?;
        }
        Ok(())
    }

    /// Returns the type of the next attempt. With both http and https in reach, every second attempt uses the other.
    fn challenge_type(&self, domain: &str) -> ChallengeType {
        let failures = self.failures.get(domain).map_or(0, |(_, count)| *count);
        if self.has_redirect && failures.is_multiple_of(2) { ChallengeType::Http01 } else { ChallengeType::TlsAlpn01 }
    }

    /// Returns the account at the authority, which is created at the first call.
    async fn account(&self) -> Result<Account, Fault> {
        let directory = self.settings.directory.as_str();
        let builder = Account::builder_with_http(Box::new(self.client()?));
        let file = format!("{}-{ACCOUNT_FILE}", self.settings.directory.host_str().unwrap_or_default());
        match fs::read(self.folder.join(&file)) {
            Ok(text) => {
                let credentials: AccountCredentials = serde_json::from_slice(&text)?;
                return Ok(builder.from_credentials(credentials).await?);
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error.into()),
        }
        let contact = self.settings.contact.as_ref().map(|address| format!("mailto:{address}"));
        let contact: Vec<&str> = contact.as_deref().into_iter().collect();
        let account = NewAccount { contact: &contact, terms_of_service_agreed: true, only_return_existing: false };
        let (account, credentials) = builder.create(&account, directory.to_owned(), None).await?;
        folder::write(&self.folder, &file, &serde_json::to_vec(&credentials)?)?;
        Ok(account)
    }

    fn client(&self) -> Result<Client, Fault> {
        let mut trusted = None;
        if let Some(file) = &self.settings.ca_file {
            let pem = fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
            let certificates = CertificateDer::pem_slice_iter(&pem)
                .map(|read| read.map(|certificate| ureq::tls::Certificate::from_der(&certificate).to_owned()))
                .collect::<Result<Vec<_>, _>>()?;
            trusted = Some(RootCerts::from(certificates));
        }
        Ok(Client(http_agent(RESPONSE_TIMEOUT, Some(concat!("atrium/", env!("CARGO_PKG_VERSION"))), trusted)))
    }
}

/// Answers to a challenge, which end when this is dropped.
struct OpenChallenge<'a> {
    acme: &'a Acme,
    domain: &'a str,
    token: Option<String>,
}

impl OpenChallenge<'_> {
    fn answer(&mut self, challenge: &ChallengeHandle<'_>) -> Result<(), Fault> {
        let authorization = challenge.key_authorization();
        if challenge.r#type == ChallengeType::Http01 {
            self.acme.challenges.set(&challenge.token, Some(authorization.as_str().to_owned()));
            self.token = Some(challenge.token.clone());
            return Ok(());
        }
        let mut params = CertificateParams::new([self.domain.to_owned()])?;
        params.custom_extensions = vec![CustomExtension::new_acme_identifier(authorization.digest().as_ref())];
        let key = KeyPair::generate()?;
        let certificate = params.self_signed(&key)?;
        let key = PrivateKeyDer::Pkcs8(key.serialize_der().into());
        self.acme
            .certificates
            .set_challenge(self.domain, certificate.der().clone(), key)
            .map_err(|error| detail(&error))
    }
}

impl Drop for OpenChallenge<'_> {
    fn drop(&mut self) {
        self.acme.certificates.end_challenge(self.domain);
        if let Some(token) = &self.token {
            self.acme.challenges.set(token, None);
        }
    }
}

/// Returns the reason of an internal error.
fn detail(error: &Error) -> Fault {
    error.detail().unwrap_or_default().into()
}

/// Returns why the authority refused an order.
async fn refusal(order: &mut Order) -> Fault {
    let mut reasons = Vec::new();
    let mut authorizations = order.authorizations();
    while let Some(Ok(mut authorization)) = authorizations.next().await {
        if let Ok(state) = authorization.refresh().await {
            reasons.extend(state.challenges.iter().filter_map(|challenge| Some(challenge.error.as_ref()?.to_string())));
        }
    }
    if reasons.is_empty() { "the authority refused the order".into() } else { reasons.join("; ").into() }
}

fn file_name(domain: &str) -> String {
    format!("{domain}.pem")
}

/// Reads a stored certificate with its key, if there is one.
fn read_certificate(folder: &Path, domain: &str) -> Result<Option<Certificate>> {
    match fs::read(folder.join(file_name(domain))) {
        Ok(pem) => Certificate::from_pem(&pem, &pem).map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::internal(error)),
    }
}

/// The HTTP client that the protocol uses.
struct Client(Agent);

impl HttpClient for Client {
    fn request(
        &self,
        request: Request<BodyWrapper<Bytes>>,
    ) -> Pin<Box<dyn Future<Output = Result<BytesResponse, instant_acme::Error>> + Send>> {
        let agent = self.0.clone();
        Box::pin(async move {
            let (parts, body) = request.into_parts();
            let Ok(body) = body.collect().await.map(Collected::to_bytes);
            let call = move || -> Result<Response<Full<Bytes>>, Fault> {
                let (parts, mut body) = agent.run(Request::from_parts(parts, body.to_vec()))?.into_parts();
                let body = body.with_config().limit(MAX_RESPONSE_BYTES).read_to_vec()?;
                Ok(Response::from_parts(parts, Full::from(body)))
            };
            let response =
                tokio::task::spawn_blocking(call).await.map_err(|error| instant_acme::Error::Other(error.into()))?;
            response.map(BytesResponse::from).map_err(instant_acme::Error::Other)
        })
    }
}
