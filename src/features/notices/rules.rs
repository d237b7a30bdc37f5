//! Rules of notices: listing, sending, changing, and marking as read or seen.

use super::{
    broadcast::{self, Broadcast},
    excerpts::ExcerptReader,
    model::{Kind, Notice},
    removal::{ensure_present, erase_expired},
};
use crate::{
    features::check_file_paths,
    kernel::{Code, Error, Id, MemberId, Result, error::Faults, html::plain, media::media_in, text::fold},
    people::{members::MemberRecord, permission::Reader},
    store::{MAX_PAGE_BYTES, PersonalRead, PersonalWrite, Scan, Stored, TenantRead, TenantWrite},
};

/// Maximum notices of a kind that a member keeps; a new one displaces one, a removed one before the oldest. Marking all
/// as read marks no more at a time.
pub const MAX_KEPT: usize = 2_000;
/// Maximum notices in a list or a batch.
pub const MAX_LISTED: usize = 200;
/// Maximum notices of a member that are examined for one that shows a file.
const MAX_EXAMINED_FOR_FILE: usize = 200;
/// Maximum notices of a kind that one sender adds to those of another member within an hour, or sends to everyone.
pub const MAX_PER_HOUR: u32 = 120;
/// How many of the oldest notices are looked at for one that a new one displaces.
const MAX_SPARED: usize = 50;
/// Maximum recipients named in one request.
const MAX_RECIPIENTS: usize = 200;

/// Recipients of a notice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recipients {
    /// The sender.
    Sender,
    /// The named members.
    Members(Vec<MemberId>),
    /// Every active member.
    Everyone,
}

/// Filter of a list of notices.
pub struct NoticeFilter<K> {
    /// Maximum number of notices.
    pub limit: usize,
    /// Return only notices after this one in the list.
    pub before: Option<Id<Notice<K>>>,
    /// Whether to return only unread notices.
    pub unread: bool,
    /// Words that the title or the description must contain, all of them.
    pub query: String,
}

impl<K> Default for NoticeFilter<K> {
    fn default() -> Self {
        Self { limit: MAX_LISTED, before: None, unread: false, query: String::new() }
    }
}

/// Lists the notices that pass the filter, newest first by `time`, with their excerpts.
/// Errors: as [`find`].
pub fn list<K: Kind>(own: &PersonalRead<'_>, filter: &NoticeFilter<K>) -> Result<Vec<Stored<Notice<K>>>> {
    let mut found = find(own, filter)?;
    let excerpts = ExcerptReader::new(*own);
    found.iter_mut().try_for_each(|notice| excerpts.fill(&mut notice.value))?;
    Ok(found)
}

/// Returns the notices that pass the filter, newest first by `time`, without their excerpts.
/// Errors: `invalid` for a limit out of range, an overlong search, or when `before` is not one of the member's notices.
pub fn find<K: Kind>(own: &PersonalRead<'_>, filter: &NoticeFilter<K>) -> Result<Vec<Stored<Notice<K>>>> {
    let mut faults = Faults::default();
    if !(1..=MAX_LISTED).contains(&filter.limit) {
        faults.add_with("limit", "errors.fields.range", vec![("min", "1".to_owned()), ("max", MAX_LISTED.to_string())]);
    }
    faults.at_most("q", &filter.query, 200);
    let last = match filter.before {
        None => None,
        Some(id) => {
            let last = own.find::<Notice<K>>(id)?.filter(|notice| notice.removed.is_none());
            if last.is_none() {
                faults.add("before", "errors.fields.unknown_reference");
            }
            last
        }
    };
    faults.into_result()?;
    let scan = match &last {
        None => Scan::ordered(K::BY_TIME),
        Some(last) => Scan::between(K::BY_TIME, [], last.time.plus_millis(1).sortable()),
    };
    let words: Vec<String> = fold(&filter.query).split_whitespace().map(ToOwned::to_owned).collect();
    let excerpts = ExcerptReader::new(*own);
    let passes = |notice: &Stored<Notice<K>>| {
        last.as_ref().is_none_or(|last| (notice.time, notice.id) < (last.time, last.id))
            && !(filter.unread && notice.read)
            && (words.is_empty() || contains_words(notice.value.clone(), &excerpts, &words))
    };
    Ok(own.page(&scan.reversed(true).limit(filter.limit).within_bytes(MAX_PAGE_BYTES), passes)?.items)
}

fn contains_words<K: Kind>(mut notice: Notice<K>, excerpts: &ExcerptReader<'_>, words: &[String]) -> bool {
    // The title of a notice whose excerpt cannot be read is searched all the same.
    if excerpts.fill(&mut notice).is_err() {
        notice.description = None;
    }
    let texts = [&notice.title, &notice.description].map(|html| html.as_deref().map(plain).unwrap_or_default());
    let text = fold(&texts.join(" "));
    words.iter().all(|word| text.contains(word))
}

/// Returns the number of unread notices.
pub fn count_unread<K: Kind>(own: &PersonalRead<'_>) -> Result<u64> {
    Ok(own.counter(K::UNREAD)?.try_into().unwrap_or(0))
}

/// Checks whether all notices are read and seen.
pub fn are_all_read<K: Kind>(own: &PersonalRead<'_>) -> Result<bool> {
    Ok(own.counter(K::UNREAD)? == 0 && are_all_seen::<K>(own)?)
}

/// Checks whether all notices are seen.
pub fn are_all_seen<K: Kind>(own: &PersonalRead<'_>) -> Result<bool> {
    Ok(own.counter(K::UNSEEN)? == 0)
}

/// Creates a copy of the notice for each recipient; for everyone in a larger company, the sender first and most others in
/// the background. Returns the sender's copy, else the first. The notice's HTML is already sanitized.
/// Errors: `invalid` for an invalid notice or an unknown member; `busy` while many others are on their way to everyone;
/// those of [`limit_rate`].
pub fn send<K: Kind>(tx: &TenantWrite<'_>, notice: &Notice<K>, to: &Recipients) -> Result<Stored<Notice<K>>> {
    notice.check()?;
    check_files(tx, notice, None)?;
    let me = tx.me();
    let people = match to {
        Recipients::Sender => vec![me.ok_or_else(|| Error::internal("a notice to the sender without a sender"))?],
        Recipients::Members(named) => {
            let people = named_members::<K>(tx, named)?;
            people.iter().try_for_each(|person| limit_rate::<K>(tx, Some(*person)))?;
            people
        }
        Recipients::Everyone => first_of_everyone(tx, notice)?,
    };
    let mut kept = None;
    for person in people {
        let mut copy = notice.clone();
        if Some(person) != me {
            copy = copy.unread();
        }
        let made = deliver(tx, person, copy)?;
        if kept.is_none() || Some(person) == me {
            kept = Some(made);
        }
    }
    kept.ok_or_else(|| Error::field(format!("{}.to", K::NAME), "errors.fields.required"))
}

fn named_members<K: Kind>(tx: &TenantWrite<'_>, named: &[MemberId]) -> Result<Vec<MemberId>> {
    let field = || format!("{}.to", K::NAME);
    if named.len() > MAX_RECIPIENTS {
        let params = vec![("max", MAX_RECIPIENTS.to_string())];
        return Err(Error::new(Code::Invalid).and_field(field(), "errors.fields.too_many", params));
    }
    let mut people = named.to_vec();
    people.sort_unstable();
    people.dedup();
    for person in &people {
        if tx.find::<MemberRecord>(*person)?.is_none() {
            return Err(Error::field(field(), "errors.fields.unknown_reference"));
        }
    }
    Ok(people)
}

/// Returns the sender and the first of the other active members. The others get the notice in the background.
fn first_of_everyone<K: Kind>(tx: &TenantWrite<'_>, notice: &Notice<K>) -> Result<Vec<MemberId>> {
    limit_rate::<K>(tx, None)?;
    let mut broadcast = Broadcast::new(notice.clone().unread());
    let others = broadcast.next_members(tx, tx.now())?;
    broadcast::begin(tx, broadcast)?;
    Ok(tx.me().into_iter().chain(others.into_iter().map(|member| member.id)).collect())
}

/// Creates a sanitized notice for a member. The caller has checked that the member exists.
pub fn deliver<K: Kind>(tx: &TenantWrite<'_>, person: MemberId, notice: Notice<K>) -> Result<Stored<Notice<K>>> {
    let own = tx.person(person);
    let kept = own.create(notice)?;
    erase_expired::<K>(&own, tx.now())?;
    if own.read().counter(K::ALL)? > i64::try_from(MAX_KEPT).unwrap_or(i64::MAX)
        && let Some(displaced) = find_displaced::<K>(&own.read())?
    {
        own.remove::<Notice<K>>(displaced)?;
    }
    Ok(kept)
}

/// Returns the notice that makes room for a new one: the one removed first, else the oldest. Those that are displaced last go
/// only when the 50 oldest are all of them.
fn find_displaced<K: Kind>(own: &PersonalRead<'_>) -> Result<Option<Id<Notice<K>>>> {
    let first = |scan: Scan, goes: fn(&Stored<Notice<K>>) -> bool| -> Result<Option<Id<Notice<K>>>> {
        Ok(own.page::<Notice<K>>(&scan.limit(1), goes)?.items.pop().map(|notice| notice.id))
    };
    if let Some(removed) = first(Scan::ordered(K::BY_REMOVAL), |_| true)? {
        return Ok(Some(removed));
    }
    let is_common =
        |notice: &Stored<Notice<K>>| K::DISPLACED_LAST.is_none_or(|last| notice.about.as_deref() != Some(last));
    if let Some(oldest) = first(Scan::all().examining(MAX_SPARED), is_common)? {
        return Ok(Some(oldest));
    }
    first(Scan::all(), |_| true)
}

/// Counts a notice of who writes to a member, or to everyone. Returns whether it is one of the 120 of an hour.
pub fn is_within_rate<K: Kind>(tx: &TenantWrite<'_>, to: Option<MemberId>) -> Result<bool> {
    let to = to.map_or_else(|| "everyone".to_owned(), |member| member.to_string());
    Ok(tx.count_act(&format!("rate:{}:{to}", K::NAME), 1)? <= MAX_PER_HOUR)
}

/// Counts a notice that a member sends to another one, or to everyone, so that no one displaces what others sent.
/// Errors: `slow_down` after 120 within an hour.
pub fn limit_rate<K: Kind>(tx: &TenantWrite<'_>, to: Option<MemberId>) -> Result<()> {
    // Replayed demo data is in the past.
    let is_to_sender = to.is_some() && to == tx.me();
    if is_to_sender || tx.is_falsely_dated() || is_within_rate::<K>(tx, to)? {
        return Ok(());
    }
    let params = vec![("max", MAX_PER_HOUR.to_string())];
    Err(Error::new(Code::SlowDown).say("errors.sent_too_many", params).retry_after(3_600))
}

/// Rejects the paths of files that the member who writes may not see.
fn check_files<K: Kind>(tx: &TenantWrite<'_>, notice: &Notice<K>, before: Option<&Notice<K>>) -> Result<()> {
    let mut faults = Faults::default();
    let texts = |notice: &Notice<K>| [notice.image.clone(), notice.title.clone(), notice.description.clone()];
    let before = before.map(texts).unwrap_or_default();
    for ((name, text), before) in ["image", "title", "description"].into_iter().zip(texts(notice)).zip(before) {
        check_file_paths(tx, format!("{}.{name}", K::NAME), text.as_deref(), before.as_deref(), &mut faults)?;
    }
    faults.into_result()
}

/// Changes a notice. The HTML of the change is already sanitized.
/// Errors: `not_found`, `invalid`.
pub fn change<K: Kind>(
    tx: &TenantWrite<'_>,
    id: Id<Notice<K>>,
    change: impl FnOnce(&mut Notice<K>),
) -> Result<Stored<Notice<K>>> {
    let own = tx.own_data()?;
    let kept = own.update(id, |notice: &mut Notice<K>| {
        ensure_present(notice)?;
        let without_excerpt = notice.description.clone();
        ExcerptReader::new(own.read()).fill(notice)?;
        let before = notice.clone();
        change(notice);
        notice.check()?;
        check_files(tx, notice, Some(&before))?;
        // A description that the member changes is their own text.
        if notice.description != before.description {
            notice.excerpt = None;
        } else if notice.excerpt.is_some() {
            notice.description = without_excerpt;
        }
        Ok(())
    })?;
    K::read_changed(&own, &kept, kept.updated_at)?;
    Ok(kept)
}

/// Marks a notice as read or unread. A read notice is also seen.
/// Errors: `not_found`.
pub fn set_read<K: Kind>(own: &PersonalWrite<'_, '_>, id: Id<Notice<K>>, read: bool) -> Result<Stored<Notice<K>>> {
    let kept = own.update(id, |notice| {
        ensure_present(notice)?;
        notice.read = read;
        notice.seen |= read;
        Ok(())
    })?;
    K::read_changed(own, &kept, kept.updated_at)?;
    Ok(kept)
}

/// Notices that one write marks, so that other writes do not wait for long. More than are announced one by one: open screens
/// read all again after each write.
pub const MARKED_AT_ONCE: usize = 100;

/// What is noted of notices that the member has looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// They are read and seen.
    Read,
    /// They are seen, because their panel was opened.
    Seen,
}

impl Mark {
    const fn is_missing<K: Kind>(self, notice: &Notice<K>) -> bool {
        !notice.seen || (matches!(self, Self::Read) && !notice.read)
    }
}

/// Returns the ids of the notices without a mark.
pub fn find_unmarked<K: Kind>(own: &PersonalRead<'_>, mark: Mark) -> Result<Vec<Id<Notice<K>>>> {
    let scan = Scan::ordered(K::BY_TIME).limit(MAX_KEPT);
    Ok(own.page::<Notice<K>>(&scan, |notice| mark.is_missing(notice))?.items.into_iter().map(|one| one.id).collect())
}

/// Marks notices, except those that are gone or have the mark already.
pub fn mark<K: Kind>(own: &PersonalWrite<'_, '_>, ids: &[Id<Notice<K>>], mark: Mark) -> Result<()> {
    for id in ids {
        let Some(notice) = own.read().find_intact::<Notice<K>>(*id)?.filter(|notice| mark.is_missing(notice)) else {
            continue;
        };
        let kept = own.update(notice.id, |notice: &mut Notice<K>| {
            notice.read |= mark == Mark::Read;
            notice.seen = true;
            Ok(())
        })?;
        K::read_changed(own, &kept, kept.updated_at)?;
    }
    Ok(())
}

/// Whether one of the reader's newest notices shows a file.
pub fn shows_file<K: Kind>(tx: &TenantRead<'_>, reader: Reader, media: &str) -> Result<bool> {
    let newest = Scan::all().reversed(true).limit(1).examining(MAX_EXAMINED_FOR_FILE);
    let shows = |notice: &Stored<Notice<K>>| {
        let texts = [&notice.image, &notice.title, &notice.description].into_iter().flatten();
        texts.flat_map(|text| media_in(text)).any(|known| known == media)
    };
    Ok(!tx.person(reader.id).page::<Notice<K>>(&newest, shows)?.items.is_empty())
}
