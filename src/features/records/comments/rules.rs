//! Rules of comments: who may write, change and remove one, and whom it notifies.

use uuid::Uuid;

use super::model::{COMMENTS_BY_FILE, COMMENTS_BY_RECORD, Comment};
use crate::{
    feature::{self, RecordHead},
    features::{
        notifications::{self, NotificationDraft, NotificationKind},
        records::{
            KindName, KindPath,
            content::{self, Mention, Reference},
            find_record,
        },
    },
    kernel::{Code, Error, Id, MemberId, Result},
    people::{
        members::{MemberRecord, MemberState},
        permission::{Permission, Reader},
    },
    store::{MAX_PAGE_BYTES, Page, Record as _, Scan, Stored, TenantRead, TenantWrite, count_fitting},
    wire::Paging,
};

/// Characters of a comment shown in a notification.
const EXCERPT_CHARS: usize = 200;
/// How many of the last comments are searched for members to tell of a new one.
const ASKED_COMMENTS: usize = 200;

/// A comment to write.
#[derive(Debug, Default)]
pub struct Draft {
    /// The text.
    pub value: String,
    /// Paths of attached files.
    pub attachments: Vec<String>,
    /// Mentioned members.
    pub mentions: Vec<Mention>,
    /// Records that the text refers to.
    pub references: Vec<Reference>,
}

/// Returns a page of the comments on a record, the newest first, and their number.
/// Errors: `not_found`, also for a record that the reader may not see.
pub fn list(
    tx: &TenantRead<'_>,
    reader: Reader,
    (kind, record): (KindPath, Uuid),
    paging: Paging,
) -> Result<(Page<Comment>, u64)> {
    find_record(tx, reader, kind, record)?;
    let all = Scan::with(COMMENTS_BY_RECORD, record.as_bytes());
    let total = tx.count_with(COMMENTS_BY_RECORD, record.as_bytes(), u64::MAX)?;
    let asked = all.reversed(true).limit(paging.limit).after(paging.after).within_bytes(MAX_PAGE_BYTES);
    let mut page = tx.page::<Comment>(&asked, |_| true)?;
    let sized = page.items.iter().zip(&page.sizes);
    let fitting = count_fitting(sized.map(|(one, size)| content::page_bytes(*size, &one.references)), MAX_PAGE_BYTES);
    if fitting < page.items.len() {
        page.items.truncate(fitting);
        page.next = page.items.last().map(|comment| comment.id.as_bytes().to_vec());
    }
    Ok((page, total))
}

/// Takes the references to an erased person out of a comment.
pub fn erase_references(tx: &TenantWrite<'_>, comment: &Stored<Comment>, person: Uuid) -> Result<()> {
    tx.rewrite(comment, |comment| content::erase_references(&mut comment.references, person, &mut comment.value))
}

/// Returns a comment on a record that the reader may see.
/// Errors: `not_found`.
fn find(
    tx: &TenantRead<'_>,
    reader: Reader,
    (kind, record): (KindPath, Uuid),
    id: Id<Comment>,
) -> Result<(RecordHead, Stored<Comment>)> {
    let head = find_record(tx, reader, kind, record)?;
    let comment = tx.get::<Comment>(id)?;
    if comment.record == record { Ok((head, comment)) } else { Err(Error::not_found()) }
}

/// Writes a comment, and tells those who are mentioned, who follow the record, and who commented on it.
/// Errors: `not_found`; `invalid`.
pub fn create(tx: &TenantWrite<'_>, reader: Reader, place: (KindPath, Uuid), draft: Draft) -> Result<Stored<Comment>> {
    let (kind, record) = place;
    let head = find_record(tx, reader, kind, record)?;
    let Draft { value, attachments, mentions, references } = draft;
    let mut comment = Comment {
        kind: KindName::of(kind.kind()),
        record,
        value,
        edited_at: None,
        attachments: content::find_attachments(tx, &attachments)?,
        mentions,
        references,
        reactions: Vec::new(),
    };
    comment.clean()?;
    check_named(tx, reader, &comment)?;
    let followers = followers(tx, &head, record)?;
    let kept = tx.create(comment)?;
    let mentioned: Vec<MemberId> = kept.mentions.iter().map(|mention| mention.member_id).collect();
    notify(tx, &head, &kept, &mentioned, NotificationKind::Mention)?;
    let others: Vec<MemberId> = followers.into_iter().filter(|member| !mentioned.contains(member)).collect();
    notify(tx, &head, &kept, &others, NotificationKind::Comment)?;
    Ok(kept)
}

/// Changes the text of the reader's own comment. Without `mentions` or `references`, those whose text is still in the
/// comment stay.
/// Errors: `not_found`; `forbidden` for a comment of another member; `invalid`.
pub fn change(
    tx: &TenantWrite<'_>,
    reader: Reader,
    place: (KindPath, Uuid),
    id: Id<Comment>,
    value: String,
    mentions: Option<Vec<Mention>>,
    references: Option<Vec<Reference>>,
) -> Result<Stored<Comment>> {
    let (head, old) = find(tx, reader, place, id)?;
    if old.created_by != Some(reader.id) {
        return Err(Error::new(Code::Forbidden));
    }
    let mut new = Comment { value, ..old.value.clone() };
    content::revise_named(&mut new.mentions, mentions, &new.value);
    content::revise_named(&mut new.references, references, &new.value);
    new.clean()?;
    // Members and records that were named before may be gone and stay named.
    let mut added = new.clone();
    added.mentions.retain(|mention| !old.mentions.contains(mention));
    added.references.retain(|reference| !old.references.contains(reference));
    check_named(tx, reader, &added)?;
    if new == old.value {
        return Ok(old);
    }
    new.edited_at = Some(tx.now());
    let kept = tx.update(id, None, |comment: &mut Comment| {
        *comment = new;
        Ok(())
    })?;
    let mentioned: Vec<MemberId> = added.mentions.iter().map(|mention| mention.member_id).collect();
    notify(tx, &head, &kept, &mentioned, NotificationKind::Mention)?;
    Ok(kept)
}

/// Removes a comment.
/// Errors: `not_found`; `forbidden` for a comment of another member, unless the reader may remove any.
pub fn remove(tx: &TenantWrite<'_>, reader: Reader, place: (KindPath, Uuid), id: Id<Comment>) -> Result<()> {
    let (_, comment) = find(tx, reader, place, id)?;
    if comment.created_by != Some(reader.id) && !reader.role.has(Permission::CommentsDelete) {
        return Err(Error::new(Code::Forbidden));
    }
    tx.remove::<Comment>(id, None).map(drop)
}

/// Adds or removes the reader's reaction.
/// Errors: `not_found`; `invalid` unless it is an emoji; `conflict` when there are 20 different reactions.
pub fn react(
    tx: &TenantWrite<'_>,
    reader: Reader,
    place: (KindPath, Uuid),
    id: Id<Comment>,
    emoji: &str,
    on: bool,
) -> Result<Stored<Comment>> {
    find(tx, reader, place, id)?;
    tx.update(id, None, |comment: &mut Comment| content::react(&mut comment.reactions, reader.id, emoji, on))
}

/// Checks that the mentioned members may see the record, and that the author may see all referenced records.
/// Errors: `invalid` at the first one that fails.
fn check_named(tx: &TenantRead<'_>, author: Reader, comment: &Comment) -> Result<()> {
    for (at, mention) in comment.mentions.iter().enumerate() {
        if !may_see(tx, comment, mention.member_id)? {
            return Err(Error::field(format!("mentions.{at}.memberId"), "errors.fields.unknown_reference"));
        }
    }
    content::check_references(tx, author, &comment.references)
}

/// Whether a member is active and may see the record of a comment.
fn may_see(tx: &TenantRead<'_>, comment: &Comment, member: MemberId) -> Result<bool> {
    let Some(member) = tx.find::<MemberRecord>(member)?.filter(|member| member.state == MemberState::Active) else {
        return Ok(false);
    };
    let reader = Reader { id: member.id, role: member.role };
    Ok(comment.kind.kind().find_head(tx, reader, comment.record)?.is_some())
}

/// Returns the members to tell of a comment: those who follow the record, and those who commented on it lately.
fn followers(tx: &TenantRead<'_>, head: &RecordHead, record: Uuid) -> Result<Vec<MemberId>> {
    let last = Scan::with(COMMENTS_BY_RECORD, record.as_bytes()).reversed(true).limit(ASKED_COMMENTS);
    let comments = tx.page::<Comment>(&last, |_| true)?.items;
    let mut found = head.followers.clone();
    found.extend(comments.iter().filter_map(|comment| comment.created_by));
    found.sort();
    found.dedup();
    Ok(found)
}

/// Tells those of the members who may see the record of a comment.
fn notify(
    tx: &TenantWrite<'_>,
    head: &RecordHead,
    comment: &Stored<Comment>,
    people: &[MemberId],
    kind: NotificationKind,
) -> Result<()> {
    let mut to = Vec::with_capacity(people.len());
    for person in people {
        if may_see(tx, comment, *person)? {
            to.push(*person);
        }
    }
    let is_mention = kind == NotificationKind::Mention;
    let text_key = if is_mention { "server.notifications.comment_mention" } else { "server.notifications.comment" };
    let mut draft = NotificationDraft::new(kind, text_key, comment.kind.kind().link(comment.record))
        .with_text("record", &head.title)
        .with_excerpt(Comment::KIND, comment.id.uuid(), comment.excerpt());
    if !is_mention {
        draft = draft.with_group(format!("comment:{}", comment.record), "server.notifications.comment.several");
    }
    notifications::notify(tx, &to, &draft)
}

impl Comment {
    /// Returns the beginning of the text, or the name of the first file when there is none.
    fn excerpt(&self) -> String {
        let text = match self.attachments.first() {
            Some(file) if self.value.is_empty() => &file.name,
            _ => &self.value,
        };
        text.chars().take(EXCERPT_CHARS).collect()
    }
}

/// Returns the beginning of a comment; `None` when it is gone or the reader may not see its record.
pub fn find_excerpt(tx: &TenantRead<'_>, reader: Reader, id: Uuid) -> Result<Option<String>> {
    let Some(comment) = tx.find::<Comment>(Id::from(id))? else { return Ok(None) };
    let is_seen = comment.kind.kind().find_head(tx, reader, comment.record)?.is_some();
    Ok(is_seen.then(|| comment.excerpt()))
}

/// Whether a reader may see a comment with a file.
pub fn shows_file(tx: &TenantRead<'_>, reader: Reader, media: &str) -> Result<bool> {
    feature::shows_file::<Comment>(tx, COMMENTS_BY_FILE, media, |comment| {
        comment.kind.kind().find_head(tx, reader, comment.record).is_ok_and(|head| head.is_some())
    })
}
