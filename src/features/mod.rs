//! The register of features. Adding one is its folder, its `mod` line and its place in the two lists
//! below; a feature may use those listed before it.

pub mod audit;
pub mod auth;
pub mod chat;
pub mod current_user;
pub mod customers;
pub mod dashboards;
pub mod events;
pub mod factors;
pub mod files;
pub mod installation;
mod listing;
pub mod live;
mod mailer;
pub mod messages;
pub mod navigation;
pub mod notices;
pub mod notifications;
pub mod operator;
pub mod pages;
mod records;
pub mod search;
pub mod settings;
pub mod shortcuts;
pub mod sso;
pub mod tasks;
pub mod team;
pub mod tenants;

use crate::{
    access::{
        audit::Entry,
        factors::{Factors, Passkey},
        former_members::FormerMember,
        links::Link,
        members::{Company, Credentials, MemberRecord},
        sessions::Session,
        sso::Provider,
    },
    feature::{Feature, LiveKind, Searchable},
    mail::Email,
    store::TableInfo,
};

/// All features, in the order in which they may use each other.
// One a line, so that two who add theirs at once do not meet.
pub const FEATURES: &[&Feature] = &[
    &notices::FEATURE,
    &messages::FEATURE,
    &notifications::FEATURE,
    &team::FEATURE,
    &tenants::FEATURE,
    &files::FEATURE,
    &settings::FEATURE,
    &current_user::FEATURE,
    &audit::FEATURE,
    &factors::FEATURE,
    &auth::FEATURE,
    &sso::FEATURE,
    &shortcuts::FEATURE,
    &customers::FEATURE,
    &tasks::FEATURE,
    &pages::FEATURE,
    &events::FEATURE,
    &chat::FEATURE,
    &search::FEATURE,
    &navigation::FEATURE,
    &installation::FEATURE,
    &dashboards::FEATURE,
    &live::FEATURE,
];

/// What is kept in the store, for its check and for the archives of companies: of what is `not_exported` nothing goes
/// along. A test holds this list to the records that there are.
pub const TABLES: &[TableInfo] = &[
    ROOT,
    TableInfo::of::<MemberRecord>(),
    TableInfo::of::<Credentials>(),
    TableInfo::of::<Session>().not_exported(),
    TableInfo::of::<Link>().not_exported(),
    TableInfo::of::<Entry>(),
    TableInfo::of::<Factors>(),
    TableInfo::of::<Passkey>(),
    TableInfo::of::<Provider>(),
    TableInfo::of::<FormerMember>(),
    TableInfo::personal::<shortcuts::Shortcut>(),
    TableInfo::personal::<messages::Message>(),
    TableInfo::personal::<notifications::Notification>(),
    TableInfo::personal::<notifications::Preferences>(),
    TableInfo::of::<notifications::DeliveryCursor>().not_exported(),
    TableInfo::personal::<messages::Sent>(),
    TableInfo::personal::<messages::Receipt>(),
    TableInfo::of::<chat::Conversation>(),
    TableInfo::of::<chat::ChatMessage>(),
    TableInfo::of::<chat::ChatRead>(),
    TableInfo::personal::<chat::Membership>(),
    TableInfo::of::<customers::Customer>(),
    TableInfo::of::<tasks::Task>(),
    TableInfo::of::<pages::Page>(),
    TableInfo::of::<events::Event>(),
    TableInfo::of::<files::FileRecord>(),
    TableInfo::of::<Email>().not_exported(),
];

/// The records by which companies exist.
pub const ROOT: TableInfo = TableInfo::of::<Company>().root();

/// The calls of all features. Pairs in pairs: poem-openapi's own tuples end at sixteen.
#[must_use]
pub fn api() -> impl poem_openapi::OpenApi + 'static {
    let calls = (auth::Api, current_user::Api);
    let calls = (calls, factors::Api);
    let calls = (calls, (auth::AccountApi, auth::OwnApi));
    let calls = (calls, auth::TeamApi);
    let calls = (calls, auth::PasskeyApi);
    let calls = (calls, sso::Api);
    let calls = (calls, team::Api);
    let calls = (calls, settings::Api);
    let calls = (calls, messages::Api);
    let calls = (calls, messages::SentApi);
    let calls = (calls, notifications::Api);
    let calls = (calls, notifications::PreferencesApi);
    let calls = (calls, shortcuts::Api);
    let calls = (calls, files::Api);
    let calls = (calls, customers::Api);
    let calls = (calls, tasks::Api);
    let calls = (calls, search::Api);
    let calls = (calls, pages::Api);
    let calls = (calls, chat::Api);
    let calls = (calls, navigation::Api);
    let calls = (calls, installation::Api);
    let calls = (calls, events::Api);
    let calls = (calls, dashboards::Api);
    let calls = (calls, audit::Api);
    let calls = (calls, (live::TicketApi, live::SocketApi));
    (calls, live::Api)
}

/// Everything that can be found.
pub fn searchables() -> impl Iterator<Item = &'static Searchable> {
    FEATURES.iter().flat_map(|feature| feature.searchable)
}

/// Everything that is told of.
pub fn live_kinds() -> impl Iterator<Item = &'static LiveKind> {
    FEATURES.iter().flat_map(|feature| feature.live)
}
