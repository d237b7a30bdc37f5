//! API handler of the global search (product §7).

use std::collections::HashMap;

use poem_openapi::{Object, OpenApi};
use serde::Serialize;
use serde_with::skip_serializing_none;
use uuid::Uuid;

use super::{
    reasons::{ReasonView, Unexplained},
    screens,
};
use crate::{
    access::Member,
    features::{
        chat::{self, Presenter},
        records::KindName,
    },
    index::{Hit, MAX_QUERY_CHARS},
    kernel::{
        Code, Error, Heading, Result,
        i18n::{Locale, say},
    },
    people::permission::{Read, Reader},
    store::TenantRead,
    wire::{Json, JsonResponse, Reply},
};

/// A search request.
#[derive(Object)]
#[oai(rename = "SearchRequest", deny_unknown_fields)]
struct Query {
    /// The search text. Fewer than 2 characters find nothing; only the first 256 are used.
    query: String,
    /// The maximum number of results of each kind, 1 to 50. The default is 5.
    limit: Option<u32>,
}

/// The results of one kind.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "SearchResultSet")]
struct ResultSet {
    /// `contacts`, `pages`, `tasks`, `events` or `chat`.
    id: String,
    /// The name of the kind in the caller's language.
    label: String,
    results: Vec<Found>,
    /// True while the search index lacks changes and results may be missing; absent otherwise.
    #[oai(skip_serializing_if_is_none)]
    partial: Option<bool>,
}

impl ResultSet {
    /// Creates the set of a kind; `None` when it has no results and is complete.
    fn of(locale: Locale, group: Heading, results: Vec<Found>, is_partial: bool) -> Option<Self> {
        if results.is_empty() && !is_partial {
            return None;
        }
        let label = say(locale, &format!("server.search.{}", group.as_str()), &[]);
        Some(Self { id: group.as_str().to_owned(), label, results, partial: is_partial.then_some(true) })
    }
}

/// A search result. Contacts have `avatar` and `name`, the others `title`, tasks also `completed`; the `title` of a chat
/// message is the name of its conversation.
#[skip_serializing_none]
#[derive(Debug, Default, Serialize, Object)]
#[oai(rename = "SearchResult", skip_serializing_if_is_none)]
struct Found {
    /// The id of the record. Absent for a screen of the application.
    id: Option<Uuid>,
    /// The kind of the record. Absent for chat messages and for screens.
    kind: Option<KindName>,
    avatar: Option<String>,
    name: Option<String>,
    title: Option<String>,
    /// A second line, such as the company.
    subtitle: Option<String>,
    completed: Option<bool>,
    /// Why the record was found, when its title does not show it and the text is known.
    reason: Option<ReasonView>,
    /// The text to show.
    value: String,
    /// The path of the result in the application.
    link: String,
}

impl Found {
    /// Creates the result of a record; `None` for a kind that members do not work with.
    fn of(group: Heading, hit: Hit, reasons: &mut HashMap<Uuid, ReasonView>) -> Option<Self> {
        let id = Uuid::from_bytes(hit.id);
        let kind = KindName::find(&hit.kind)?;
        let is_contact = group == Heading::Contacts;
        Some(Self {
            id: Some(id),
            kind: Some(kind),
            avatar: hit.avatar,
            name: is_contact.then(|| hit.title.clone()),
            title: (!is_contact).then(|| hit.title.clone()),
            subtitle: hit.subtitle,
            completed: hit.completed,
            reason: reasons.remove(&id),
            value: hit.title,
            link: kind.kind().link(id),
        })
    }

    /// Creates the result of a chat message: its text around the match, and its conversation.
    fn said(tx: &TenantRead<'_>, presenter: &Presenter, found: &chat::find::Found, typed: &str) -> Result<Self> {
        let contact = presenter.contact(tx, &found.chat)?;
        let avatar = contact.avatar().map(str::to_owned);
        let name = contact.into_name();
        Ok(Self {
            id: Some(found.message.id.uuid()),
            avatar,
            title: Some(name.clone()),
            subtitle: Some(name),
            value: chat::find::snippet(&found.message, typed),
            link: format!("/chat/{}?message={}", found.chat.id, found.message.id),
            ..Self::default()
        })
    }
}

/// Drops the hits that the reader may no longer see.
fn drop_hidden(tx: &TenantRead<'_>, reader: Reader, found: &mut [(Heading, Vec<Hit>)]) -> Result<()> {
    for (_, hits) in found {
        for hit in std::mem::take(hits) {
            let Some(kind) = KindName::find(&hit.kind) else { continue };
            if kind.kind().find_card(tx, reader, Uuid::from_bytes(hit.id))?.is_some() {
                hits.push(hit);
            }
        }
    }
    Ok(())
}

/// API of the global search.
pub struct Api;

#[OpenApi(prefix_path = "/common/search", tag = "crate::wire::Tag::Search")]
impl Api {
    /// Search records, members and the messages of the caller's conversations.
    ///
    /// The last word may be incomplete, accents and case are ignored, and longer words may have one typing error.
    /// Results whose titles have every word come first; of the others `reason` says which text has the rest. The
    /// caller's own changes are found at once; drafts of pages are found by their authors only. Kinds without results
    /// are left out, except while the search index lacks changes: then every kind is included, with `partial`.
    #[oai(path = "/", method = "post", operation_id = "search")]
    async fn search(&self, member: Member<Read>, body: Json<Query>) -> Reply<JsonResponse<Vec<ResultSet>>> {
        let limit = body.limit.unwrap_or(5);
        if !(1..=50).contains(&limit) {
            let params = vec![("min", "1".to_owned()), ("max", "50".to_owned())];
            return Err(Error::new(Code::Invalid).and_field("limit", "errors.fields.range", params).into());
        }
        let limit = limit as usize;
        let typed: String = body.0.query.chars().take(MAX_QUERY_CHARS).collect();
        if typed.trim().chars().count() < 2 {
            return Ok(JsonResponse(Vec::new()));
        }
        let locale = member.locale();
        // Asked before: the index may catch up after it was searched.
        let lags = member.index_lags()?;
        let searched = member.find(typed.clone(), &Heading::ALL, limit).await?;
        let mut found = searched.found;
        if lags {
            member.read(|tx| drop_hidden(tx, member.reader(), &mut found))?;
        }
        let said = chat::find::find(&member, None, typed.clone(), limit).await?;
        let is_partial = searched.is_partial || said.is_partial;
        let mut reasons = match Unexplained::among(&typed, found.iter().flat_map(|(_, hits)| hits)) {
            Some(records) => {
                let reader = member.reader();
                member.read_blocking(move |tx| records.explain(tx, reader, locale)).await?
            }
            None => HashMap::new(),
        };
        let mut sets = Vec::new();
        for group in Heading::ALL {
            let hits = found.iter_mut().find(|(of, _)| *of == group).map(|(_, hits)| std::mem::take(hits));
            let hits = hits.into_iter().flatten();
            let mut results: Vec<Found> = hits.filter_map(|hit| Found::of(group, hit, &mut reasons)).collect();
            if group == Heading::Pages {
                let screens = screens::find(&typed, locale, limit - results.len().min(limit));
                results.extend(screens.into_iter().map(|screen| Found {
                    title: Some(screen.title.clone()),
                    value: screen.title,
                    link: screen.link.to_owned(),
                    ..Found::default()
                }));
            }
            sets.extend(ResultSet::of(locale, group, results, is_partial));
        }
        let presenter = Presenter::of(&member);
        let said =
            member.read(|tx| said.found.iter().map(|found| Found::said(tx, &presenter, found, &typed)).collect())?;
        sets.extend(ResultSet::of(locale, Heading::Chat, said, is_partial));
        Ok(JsonResponse(sets))
    }
}
