//! What is known of providers (OpenID Connect Discovery): where they are asked, and their keys. Only those that
//! the operator lists are ever asked, so that few are remembered.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use openidconnect::{IssuerUrl, TokenUrl, core::CoreProviderMetadata};
use tokio::sync::Semaphore;

use super::http::{self, Failure};
use crate::kernel::{Code, Error, Result, Timestamp};

/// Milliseconds for which what a provider says of itself is believed.
const FRESH: i64 = 60 * 60_000;
/// Questions to providers that are under way at once: each takes a thread.
const AT_ONCE: usize = 4;

/// What a provider says of itself.
pub(super) type Metadata = Arc<CoreProviderMetadata>;

/// All providers that were asked.
pub(super) struct Directory {
    known: Mutex<HashMap<String, (Timestamp, Metadata)>>,
    turns: Arc<Semaphore>,
}

impl Default for Directory {
    fn default() -> Self {
        Self { known: Mutex::default(), turns: Arc::new(Semaphore::new(AT_ONCE)) }
    }
}

/// A failure to reach a provider, for whoever reads the log.
pub(super) fn unreachable(error: impl std::fmt::Display) -> Error {
    Error::new(Code::Busy).retry_after(5).with_detail(format_args!("single sign-on: {error}"))
}

impl Directory {
    /// Does what asks a provider, beside the threads that serve requests.
    ///
    /// # Errors
    /// `busy` when too many ask already, and what `work` returns.
    pub(super) async fn ask<T: Send + 'static>(&self, work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
        let turn = self.turns.clone().try_acquire_owned();
        let turn = turn.map_err(|_| Error::new(Code::Busy).retry_after(1).with_detail("all turns are taken"))?;
        let asking = tokio::task::spawn_blocking(move || {
            let answer = work();
            drop(turn);
            answer
        });
        asking.await.map_err(Error::internal)?
    }

    /// What a provider says of itself, as of an hour ago at most, or of `since`.
    ///
    /// # Errors
    /// `busy` when it cannot be reached, or says what cannot be.
    pub(super) async fn find(&self, issuer: &str, now: Timestamp, since: Option<Timestamp>) -> Result<Metadata> {
        let oldest = since.unwrap_or(now.plus_millis(-FRESH));
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(issuer).cloned();
        if let Some((_, metadata)) = known.filter(|(at, _)| *at > oldest && *at <= now) {
            return Ok(metadata);
        }
        let url = IssuerUrl::new(issuer.to_owned()).map_err(Error::internal)?;
        let metadata = self.ask(move || discover(&url)).await?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(issuer.to_owned(), (now, metadata.clone()));
        Ok(metadata)
    }
}

fn discover(issuer: &IssuerUrl) -> Result<Metadata> {
    let client = |request| http::call(request);
    let metadata = CoreProviderMetadata::discover(issuer, &client).map_err(|error| unreachable(told(&error)))?;
    let token = metadata.token_endpoint().map(TokenUrl::url);
    if !token.is_some_and(http::is_safe) || !http::is_safe(metadata.authorization_endpoint().url()) {
        return Err(unreachable(Failure::Insecure(issuer.to_string())));
    }
    Ok(Arc::new(metadata))
}

/// An error with its causes.
pub(super) fn told(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
