//! Composition root: opens the application from a configuration, and stops it gracefully.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, LazyLock},
    thread,
    time::Duration,
};

use futures_util::future::BoxFuture;
use poem::{Endpoint, EndpointExt, Response, Route};
use poem_openapi::OpenApiService;
use tokio::time::sleep;
use url::Url;

use crate::{
    access::{AuthService, passwords::Passwords, sessions::Sessions, tokens::Tokens},
    config::{Config, read_languages},
    features::{
        self,
        exchange::import::ImportWork,
        files::{self, FileStore},
        live::FrameBuilder,
        messages::Messages,
        notifications::Notifications,
        operator::{self, Eraser},
        personal_data::ErasureWork,
        records::duplicates::ScanWork,
        settings::{BackupCondition, ServerCondition, ServerWatch},
    },
    http::{
        Bearer, Branding, BrandingOf, CompanyBranding, Contract, Details, DetailsAccess, Docs, Health, HttpMetrics,
        IsServed, Languages, Metrics, MetricsAccess, MonitoringToken, Pipeline, RenderMetrics, Rules, TextSource, Ui,
    },
    index::{self, Engine},
    jobs::{
        AppMailContext, BackupScheduler, BinJob, BroadcastWork, BulkWork, ContactUpgradeWork, DeferredJob,
        DegradedReason, ErasureJob, FieldIndexJob, HealthJob, HealthMonitor, IndexComparisonJob, IndexJob, IsAway,
        JobStatuses, Jobs, MergeWork, NotificationJob, Notifier, PageWork, PipelineWork, RenamingWork, RetentionJob,
        ScrubJob, StatusWork, StepJob, TagWork, TrimJob, UploadGarbageJob,
    },
    kernel::{
        BACKGROUND_NICE, Clock, Entropy, Error, Result, Timestamp,
        i18n::{self, Locale},
        lower_priority, run_blocking,
    },
    live::{
        Hub,
        presence::{Presence, PresenceState},
    },
    mail::Mailer,
    monitoring::{AlertJob, Alerts, Monitor, Sources},
    people::members::check_global_indexes,
    store::{
        Disk, Home, InstallationId, Options, Store,
        entries::{ACCESS_KEY, INDEX, STORE},
    },
    wire,
};

/// External dependencies of the application. Tests use their own clock, random numbers and cheap password hashes.
pub struct Environment {
    /// The clock.
    pub clock: Clock,
    /// The source of random numbers.
    pub entropy: Entropy,
    /// Memory (KiB) and passes of argon2id. The default, 19 MiB and 2, is OWASP's minimum.
    pub password_cost: (u32, u32),
    /// The disk of the store; `None` for its file in the data directory.
    pub disk: Option<Arc<dyn Disk>>,
}

impl Default for Environment {
    fn default() -> Self {
        Self { clock: Clock::system(), entropy: Entropy::system(), password_cost: (19 * 1024, 2), disk: None }
    }
}

/// The open application.
pub struct App {
    config: Arc<Config>,
    store: Store,
    engine: Engine,
    auth: AuthService,
    files: FileStore,
    mailer: Mailer,
    eraser: Eraser,
    notifier: Notifier,
    watch: HealthMonitor,
    monitor: Monitor,
    alerts: Alerts,
    http: Option<Arc<HttpMetrics>>,
    jobs: Jobs,
    home: Arc<Home>,
    installation: InstallationId,
    replaced: Option<PathBuf>,
}

impl App {
    /// Takes the data directory, creates it when missing, and opens it.
    /// Errors: `busy` when another process holds it, otherwise as [`App::open_in`].
    pub fn open(config: Config, environment: Environment) -> Result<Self> {
        let home = Home::take(&config.data_dir)?;
        Self::open_in(Arc::new(home), config, environment)
    }

    /// Opens a data directory and starts the background tasks. A staged backup is put in place first.
    /// Errors: `internal` when the directory, or the folder of further languages, cannot be created or read.
    pub fn open_in(home: Arc<Home>, config: Config, environment: Environment) -> Result<Self> {
        offer_languages(&config)?;
        let Environment { clock, entropy, password_cost, disk } = environment;
        let config = Arc::new(config);
        let dir = home.path().to_owned();
        let replaced = put_back(&home, clock.now())?;
        let store = if let Some(disk) = disk {
            Store::open_with(disk, Options::default(), clock.clone(), entropy.clone())?
        } else {
            open_store(&home, Options::default(), clock.clone(), entropy.clone())?
        };
        check_global_indexes(&store.snapshot()?)?;
        let installation = home.id(&entropy)?;
        let folder = dir.join(INDEX);
        let index = thread::spawn(move || {
            lower_priority(BACKGROUND_NICE);
            Engine::open(&folder, index::Options::default()).map_err(Error::internal)
        });
        let tokens = Tokens::open(&dir.join(ACCESS_KEY), clock, &entropy)?;
        let passwords = Passwords::with_cost(tokens.pepper(), password_cost.0, password_cost.1)?;
        // The sessions load while another thread reads the index from disk.
        let sessions = Sessions::load(store.clone());
        let (engine, opened) = index.join().map_err(|_| Error::internal("opening the index panicked"))??;
        if let index::Opened::RebuildNeeded { why } = &opened {
            tracing::info!(why, "search: the index is rebuilt");
        }
        let presence = Presence::new(config.limits.sockets_per_company);
        let frame_builder = FrameBuilder::new(store.clone(), presence.clone(), features::live_kinds());
        let hub = Hub::new(store.snapshot()?.last_change()?, presence.clone(), frame_builder);
        let auth = AuthService::new(
            store.clone(),
            sessions?,
            engine.clone(),
            hub.clone(),
            tokens,
            passwords,
            Arc::clone(&config),
        )?;
        for (slug, host) in operator::ignored_hosts(&store.snapshot()?, &config) {
            tracing::warn!(slug, host, "a company has a host name of the installation; it is ignored");
        }
        let files = FileStore::open(store.clone(), &dir, &config.limits)?;
        let context = AppMailContext::new(store.entropy().clone(), config.installation.clone());
        let mailer = Mailer::new(store.clone(), Arc::clone(&config), context)?;
        let eraser = Eraser::new(store.clone(), engine.clone(), auth.clone(), files.clone(), mailer.clone());
        let notifier = Notifier::new(store.clone(), away(&auth, presence.clone(), store.clock().clone()));
        let watch =
            HealthMonitor::new(files.clone(), engine.clone(), mailer.clone(), dir.clone(), config.backup.clone());
        let mut jobs = Jobs::new(store.clock().clone());
        jobs.start(IndexJob::new(store.clone(), engine.clone(), &opened));
        jobs.start_loop("live", hub.run(store.commits(), jobs.stop_signal()));
        jobs.start_loop("mail", mailer.clone().run(jobs.stop_signal()));
        if let Some(queue) = auth.deferred() {
            jobs.start(DeferredJob::new(store.clone(), queue));
        }
        jobs.start(NotificationJob::new(notifier.clone()));
        jobs.start(UploadGarbageJob(files.clone()));
        jobs.start(ErasureJob(eraser.clone()));
        jobs.start(BinJob(store.clone()));
        jobs.start(RetentionJob(store.clone()));
        start_steps(&mut jobs, &store, &files);
        if config.backup.folder.is_some() {
            let settings = config.backup.clone();
            jobs.start(BackupScheduler::new(files.clone(), installation.clone(), settings, watch.clone()));
        }
        jobs.start(ScrubJob::new(files.clone(), watch.clone(), jobs.stop_signal()));
        start_index_repair(&mut jobs, &store, &engine);
        jobs.start(TrimJob { store: store.clone(), engine: engine.clone(), days: config.limits.ledger_days });
        jobs.start(HealthJob::new(watch.clone()));
        let http = config.metrics.is_on().then(|| Arc::new(HttpMetrics::new(&Contract::of(features::api))));
        let monitor = Monitor::new(Sources {
            health: watch.clone(),
            engine: engine.clone(),
            mailer: mailer.clone(),
            jobs: jobs.statuses().clone(),
            auth: auth.clone(),
            presence,
            http: http.clone(),
            files: files.clone(),
            home: dir.clone(),
        });
        let alerts = Alerts::open(monitor.clone(), mailer.clone(), &config.alerts, &dir);
        jobs.start(AlertJob(alerts.clone()));
        Ok(Self {
            config,
            store,
            engine,
            auth,
            files,
            mailer,
            eraser,
            notifier,
            watch,
            monitor,
            alerts,
            http,
            jobs,
            home,
            installation,
            replaced,
        })
    }

    /// Returns the store, for operator commands and demo data.
    pub const fn store(&self) -> &Store {
        &self.store
    }

    /// Returns the search index, for operator commands.
    pub const fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Returns the authentication service, for operator commands and the page's branding.
    pub const fn auth(&self) -> &AuthService {
        &self.auth
    }

    /// Returns the store of uploads, for operator commands and tests.
    pub const fn files(&self) -> &FileStore {
        &self.files
    }

    /// Returns the sender of e-mails.
    pub const fn mailer(&self) -> &Mailer {
        &self.mailer
    }

    /// Returns the notifier, for operator commands, and for tests that run a round directly.
    pub const fn notifier(&self) -> &Notifier {
        &self.notifier
    }

    /// Returns the health monitor.
    pub const fn watch(&self) -> &HealthMonitor {
        &self.watch
    }

    /// Returns the monitor, for operator commands and the server's certificates.
    pub const fn monitor(&self) -> &Monitor {
        &self.monitor
    }

    /// Returns the alerts, for operator commands.
    pub const fn alerts(&self) -> &Alerts {
        &self.alerts
    }

    /// Returns what is measured of HTTP, if metrics are on.
    pub const fn http_metrics(&self) -> Option<&Arc<HttpMetrics>> {
        self.http.as_ref()
    }

    /// Returns the endpoint of the address that is for metrics alone.
    pub fn metrics_endpoint(&self) -> Metrics {
        Metrics::new(self.render_metrics(), MetricsAccess::Hosts(self.config.metrics_hosts()))
    }

    /// Returns the check whether the installation serves a host, in lower case and without a port.
    pub fn is_served(&self) -> IsServed {
        let auth = self.auth.clone();
        let config = Arc::clone(&self.config);
        Arc::new(move |host| config.serves(host) || auth.is_company_host(host).unwrap_or_default())
    }

    fn render_metrics(&self) -> RenderMetrics {
        let monitor = self.monitor.clone();
        Arc::new(move |names_companies| {
            let monitor = monitor.clone();
            Box::pin(run_blocking(move || monitor.metrics(names_companies)))
        })
    }

    /// Returns the states of the background jobs.
    pub const fn job_statuses(&self) -> &JobStatuses {
        self.jobs.statuses()
    }

    /// Returns the eraser of tenants.
    pub const fn eraser(&self) -> &Eraser {
        &self.eraser
    }

    /// Returns the data directory.
    pub const fn home(&self) -> &Arc<Home> {
        &self.home
    }

    /// Returns the id of the installation.
    pub const fn installation(&self) -> &InstallationId {
        &self.installation
    }

    /// Returns the folder with the data that a restored backup replaced at this opening.
    pub fn replaced(&self) -> Option<&Path> {
        self.replaced.as_deref()
    }

    /// Returns the configuration.
    pub const fn config(&self) -> &Arc<Config> {
        &self.config
    }

    /// Returns the HTTP endpoint: all routes behind the request pipeline.
    pub fn endpoint(&self) -> Result<impl Endpoint<Output = Response> + use<>> {
        let contract = Contract::of(features::api);
        let auth = self.auth.clone();
        let bearer: Bearer = Box::new(move |headers| auth.sender(headers));
        let rules =
            Rules::new(&self.config, contract, bearer, self.store.clock().clone(), self.store.entropy().clone());
        let rules = rules.with_metrics(self.http.clone());
        let watch = self.watch.clone();
        let at = self.auth.clone();
        let config = self.config.clone();
        let branding: BrandingOf = Arc::new(move |host, wished| branding(&at, &config, host, wished));
        let contact = self.config.security_contact.clone();
        let clock = self.store.clock().clone();
        let security = contact.map(|contact| -> TextSource { Box::new(move || security_text(&contact, clock.now())) });
        let monitor = self.monitor.clone();
        let details: Details = Arc::new(move || details(&monitor));
        let token = self.config.metrics.token()?.as_deref().map(MonitoringToken::new);
        let metrics = token.clone().map(|token| Metrics::new(self.render_metrics(), MetricsAccess::Token(token)));
        let access = DetailsAccess { is_local: !self.config.may_have_local_proxy(), token };
        let docs = Arc::new(Docs::new(|| DOCUMENT.clone()));
        let route = Route::new()
            .nest_no_strip("/api/openapi.json", Arc::clone(&docs))
            .nest_no_strip("/api/docs", docs)
            .nest("/api", service())
            .at("/media/:id", poem::get(files::media))
            .nest_no_strip(
                "/health",
                Health::new(
                    Arc::new(move || {
                        watch.check_readable()?;
                        Ok(watch.reasons().into_iter().map(DegradedReason::word).collect())
                    }),
                    details,
                    access,
                )
                .with_probes(Arc::clone(self.monitor.probes())),
            );
        let route = match metrics {
            Some(metrics) => route.at("/metrics", metrics),
            None => route,
        };
        let route = route.nest_no_strip("/", Ui::new(Languages::of_catalogue(), branding).with_security(security));
        let route = route.data(self.auth.clone()).data(self.files.clone()).data(self.mailer.clone());
        let inner = route.data(server_watch(self.watch.clone(), self.engine.clone())).map_to_response();
        Ok(Pipeline::new(inner, rules))
    }

    /// Stops the background jobs. Work in progress is finished, or continued at the next start. Waits until the store is
    /// closed, so that it can be opened again: the thread of a step that the stop cancelled still reads it for a moment.
    pub async fn close(self) {
        let store = self.store.watch_open();
        {
            let app = self;
            app.jobs.stop().await;
        }
        for _ in 0..CLOSE_CHECKS {
            if !store.is_open() {
                return;
            }
            sleep(CLOSE_PAUSE).await;
        }
        tracing::warn!("stop: the store is still in use");
    }
}

/// Lets administrators of companies see what concerns them in the condition of the server.
fn server_watch(watch: HealthMonitor, engine: Engine) -> ServerWatch {
    ServerWatch::new(move || {
        let condition = watch.condition()?;
        let has = |reason| condition.reasons.contains(&reason);
        let backup = watch.backups().folder.is_some().then(|| BackupCondition {
            last: condition.last_backup,
            is_failing: has(DegradedReason::BackupFailed) || has(DegradedReason::BackupOverdue),
        });
        let index_is_current = !engine.is_partial() && !has(DegradedReason::IndexBehind);
        Ok(ServerCondition { writable: condition.writable, backup, index_is_current })
    })
}

/// Starts the jobs of work that goes on in steps.
fn start_steps(jobs: &mut Jobs, store: &Store, files: &FileStore) {
    jobs.start(StepJob::new(BulkWork, store.clone()));
    jobs.start(StepJob::new(ImportWork::new(files.clone()), store.clone()));
    jobs.start(StepJob::new(ErasureWork::new(files.clone()), store.clone()));
    jobs.start(StepJob::new(TagWork, store.clone()));
    jobs.start(StepJob::new(MergeWork, store.clone()));
    jobs.start(StepJob::new(ScanWork, store.clone()));
    jobs.start(StepJob::new(PageWork, store.clone()));
    jobs.start(StepJob::new(PipelineWork, store.clone()));
    jobs.start(StepJob::new(BroadcastWork::<Messages>::default(), store.clone()));
    jobs.start(StepJob::new(BroadcastWork::<Notifications>::default(), store.clone()));
    jobs.start(StepJob::new(RenamingWork, store.clone()));
    jobs.start(StepJob::new(StatusWork, store.clone()));
    jobs.start(StepJob::new(ContactUpgradeWork, store.clone()));
}

/// Starts the jobs that repair the index.
fn start_index_repair(jobs: &mut Jobs, store: &Store, engine: &Engine) {
    jobs.start(IndexComparisonJob { store: store.clone(), engine: engine.clone(), stop: jobs.stop_signal() });
    jobs.start(FieldIndexJob::new(store.clone(), engine.clone(), jobs.stop_signal()));
}

/// Puts a staged backup in place. Returns the folder with the replaced data.
pub fn put_back(home: &Home, now: Timestamp) -> Result<Option<PathBuf>> {
    let replaced = operator::put_in_place(home, now)?;
    if let Some(kept) = &replaced {
        tracing::warn!(kept = %kept.display(), "restore: a backup was restored; the replaced data is kept");
    }
    Ok(replaced)
}

/// Opens the store of a data directory.
/// Errors: `damaged` when its file is damaged; `busy` or `internal` when it cannot be created or read.
pub fn open_store(home: &Home, options: Options, clock: Clock, entropy: Entropy) -> Result<Store> {
    home.expect_store()?;
    Store::open_file(&home.path().join(STORE), options, clock, entropy)
}

/// How often, and at which pauses, a close asks whether the store is closed.
const CLOSE_CHECKS: u32 = 5_000;
const CLOSE_PAUSE: Duration = Duration::from_millis(2);

/// How long after the last activity, in milliseconds, a member without open devices counts as away.
const AWAY: i64 = 2 * 60_000;

/// Returns the check for away members: those idle at all open devices, or without one and inactive for [`AWAY`].
fn away(auth: &AuthService, presence: Presence, clock: Clock) -> IsAway {
    let auth = auth.clone();
    Arc::new(move |tenant, member| match presence.state_of(tenant, member) {
        Some(there) => there == PresenceState::Idle,
        None => {
            let seen = auth.sessions().last_seen(tenant, member);
            seen.is_none_or(|seen| clock.now().millis() - seen.millis() > AWAY)
        }
    })
}

/// Adds the operator's translations to the catalogue.
pub fn offer_languages(config: &Config) -> Result<()> {
    let folder = config.languages.as_deref();
    let languages = folder.map_or(Ok(Vec::new()), read_languages);
    for language in languages.map_err(|faults| Error::internal(faults.join("; ")))? {
        i18n::add(&language.code, &language.file);
    }
    Ok(())
}

/// Returns the branding that the page shows from its first byte: that of the host's tenant, or of the installation. The
/// language is the visitor's, otherwise the tenant's.
fn branding(auth: &AuthService, config: &Config, host: &str, wished: Option<Locale>) -> Result<Branding> {
    let signup = config.signup;
    let Some(company) = auth.company_at(host)? else {
        return Ok(Branding::of_installation(config, wished.unwrap_or(Locale::EN).code(), signup));
    };
    let locale = wished.or_else(|| Locale::parse(&company.locale)).unwrap_or(Locale::EN);
    let company = company.value;
    Ok(Branding {
        company: CompanyBranding {
            name: company.name,
            logotipo_dark: company.logotipo_dark,
            logotipo_light: company.logotipo_light,
            color_scheme: company.color_scheme,
            layout: company.layout,
        },
        ..Branding::of_installation(config, locale.code(), signup)
    })
}

/// Returns the details of the health, as JSON.
fn details(monitor: &Monitor) -> BoxFuture<'static, Result<serde_json::Value>> {
    let monitor = monitor.clone();
    Box::pin(run_blocking(move || serde_json::to_value(monitor.report()).map_err(Error::internal)))
}

/// Returns `security.txt` (RFC 9116). It expires after 180 days, when readers must fetch it again.
fn security_text(contact: &Url, now: Timestamp) -> String {
    let expires = now.plus_seconds(180 * 86_400);
    format!("Contact: {contact}\nExpires: {expires}\nPreferred-Languages: en, es\n")
}

/// The API document, created at the first request, because few installations need it.
static DOCUMENT: LazyLock<String> = LazyLock::new(document);

fn service() -> OpenApiService<impl poem_openapi::OpenApi, ()> {
    OpenApiService::new(features::api(), "Atrium", env!("CARGO_PKG_VERSION"))
        .description("One binary in which a whole company works.")
        .url_prefix("/api")
}

/// Returns the API document. It depends on the types alone, so no store is needed to print it.
pub fn document() -> String {
    let service = service();
    // The prefix is part of the paths; as a server entry it tells clients the base address.
    let mut parsed: serde_json::Value = serde_json::from_str(&service.spec()).unwrap_or_default();
    wire::document::complete(&mut parsed);
    let mut text = serde_json::to_string_pretty(&parsed).unwrap_or_default();
    text.push('\n');
    text
}
