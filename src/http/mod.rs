//! HTTP server: accepts connections, enforces the limits of requests, sets the security headers of responses, and
//! serves the user interface that is built into the binary.

mod asset;
mod body;
mod client_address;
mod compression;
mod conditional;
mod connection;
mod contract;
mod docs;
mod framing;
mod headers;
mod health;
mod host;
mod languages;
mod listener;
mod malformed;
mod memory;
mod metrics;
mod monitoring;
mod page;
mod path;
mod pipeline;
mod probes;
mod redirect;
mod request_metrics;
mod server;
mod tls;
mod ui;

pub use contract::Contract;
pub use docs::Docs;
pub use headers::{PAGE_POLICY, Protected};
pub use health::{Details, DetailsAccess, Health, Ready};
pub use languages::Languages;
pub use listener::Listener;
pub use metrics::{Metrics, MetricsAccess, RenderMetrics};
pub use monitoring::MonitoringToken;
pub use page::{Branding, CompanyBranding, render_page};
pub use pipeline::{Bearer, Pipeline, Rules};
pub use probes::{Probe, Probes};
pub use redirect::{Challenges, IsServed, Redirect};
pub use request_metrics::{HttpMetrics, RequestMetrics, RouteMetrics};
pub use server::Server;
pub use tls::{Certificate, CertificateFault, Certificates, Validity, server_config};
pub use ui::{BrandingOf, TextSource, Ui};
