//! Excerpts: the beginning of a comment or chat message at the end of a description. A notice stores where its excerpt is
//! from, and not the text, so that its owner reads the present text, and nothing of one that was deleted or that they may
//! not read any more.

use std::cell::OnceCell;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::model::{Kind, Notice};
use crate::{
    features::find_excerpt,
    kernel::{Result, html::escape_text},
    people::{members::MemberRecord, permission::Reader},
    store::PersonalRead,
};

/// Where the excerpt of a notice is from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excerpt {
    /// `Record::KIND` of the comment or chat message.
    pub kind: String,
    /// Its id.
    pub id: Uuid,
}

/// Reads the excerpts of a member's notices.
pub struct ExcerptReader<'t> {
    own: PersonalRead<'t>,
    /// The member, who is read for the first notice with an excerpt.
    reader: OnceCell<Option<Reader>>,
}

impl<'t> ExcerptReader<'t> {
    /// Reads the excerpts of the notices in a member's personal data.
    pub const fn new(own: PersonalRead<'t>) -> Self {
        Self { own, reader: OnceCell::new() }
    }

    /// Adds the present excerpt to the description of a notice, or removes the description when there is none. Reads a few
    /// rows for a notice with an excerpt, and none for others.
    pub fn fill<K: Kind>(&self, notice: &mut Notice<K>) -> Result<()> {
        let Some(excerpt) = &notice.excerpt else { return Ok(()) };
        let text = match self.reader()? {
            Some(reader) => find_excerpt(self.own.tenant_read(), reader, &excerpt.kind, excerpt.id),
            None => Ok(None),
        };
        let text = match text {
            Err(error) if error.is_damage() => None,
            text => text?,
        };
        let before = notice.description.take().unwrap_or_default();
        notice.description = text.map(|text| before + &escape_text(&text));
        Ok(())
    }

    fn reader(&self) -> Result<Option<Reader>> {
        if let Some(reader) = self.reader.get() {
            return Ok(*reader);
        }
        let member = self.own.tenant_read().find::<MemberRecord>(self.own.person())?;
        let reader = member.map(|member| Reader { id: member.id, role: member.role });
        Ok(*self.reader.get_or_init(|| reader))
    }
}
