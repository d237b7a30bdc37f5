//! The call by which an open screen waits for news.

use std::time::Duration;

use poem_openapi::{Object, OpenApi, param::Query};
use serde::Serialize;
use uuid::Uuid;

use crate::{
    access::{Member, permission::OwnData},
    kernel::{Code, Error},
    live::News,
    wire::{Answer, Reply},
};

/// The longest that a call waits: well below what proxies allow.
const PATIENCE: u32 = 25;

/// Something that changed.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "RecordChanged", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
struct Changed {
    /// The record's kind: `task`, `message`, `chat`, ...
    kind: String,
    record_id: Uuid,
    /// The record's version after it.
    version: u64,
}

impl From<News> for Changed {
    fn from(news: News) -> Self {
        Self { kind: news.kind, record_id: Uuid::from_bytes(news.id), version: news.version }
    }
}

/// What happened, and where to go on from.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "News", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
struct NewsView {
    /// What to give as `after` next time.
    at: u64,
    /// What changed of the company's and of the caller's own, oldest first.
    changes: Vec<Changed>,
    /// Whether more was missed than is remembered: read everything on the screen again.
    resync: bool,
}

/// The calls.
pub struct Api;

#[OpenApi(prefix_path = "/live", tag = "crate::wire::Tag::Live")]
impl Api {
    /// Waits for news.
    ///
    /// Without `after` it answers at once where the ledger is now. With it, as soon as something happened
    /// after that place, or when `wait` seconds are over.
    #[oai(path = "/", method = "get", operation_id = "awaitNews")]
    async fn wait(
        &self,
        member: Member<OwnData>,
        /// The place up to which the caller has heard.
        after: Query<Option<u64>>,
        /// Seconds to wait at most, 0 to 25; 25 when absent.
        wait: Query<Option<u32>>,
    ) -> Reply<Answer<NewsView>> {
        let wait = wait.0.unwrap_or(PATIENCE);
        if wait > PATIENCE {
            let gaps = vec![("min", "0".to_owned()), ("max", PATIENCE.to_string())];
            return Err(Error::new(Code::Invalid).and_field("wait", "errors.fields.range", gaps).into());
        }
        let channel = member.live();
        let heard = tokio::select! {
            heard = channel.after(after.0, Duration::from_secs(u64::from(wait))) => heard,
            closed = member.closed() => return Err(closed.into()),
        };
        let changes = heard.news.into_iter().map(Changed::from).collect();
        Ok(Answer(NewsView { at: heard.seq, changes, resync: heard.resync }))
    }
}
