//! The message of an alert, in the formats of the channels.

use serde::Serialize;

use crate::{
    kernel::{Timestamp, text},
    monitoring::{CheckStatus, duration},
};

/// The most characters of a check's sentence.
pub(super) const MAX_SENTENCE: usize = 500;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Event {
    /// A check is a warning or failing, or a warning became failing.
    Began,
    /// It still is, a day after the last message.
    Stands,
    /// It is over.
    Over,
    /// The operator tests the channel.
    Test,
}

impl Event {
    /// Returns the name of the event.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Began => "began",
            Self::Stands => "stands",
            Self::Over => "over",
            Self::Test => "test",
        }
    }
}

/// A message about an alert. It is sent as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// Identifies the message: a message that is sent again has the same id.
    pub id: String,
    /// What happened.
    pub event: Event,
    /// The name of the check.
    pub check: String,
    /// The status of the check.
    pub status: CheckStatus,
    /// What was found, in one sentence; after the end, what was found before.
    pub message: String,
    /// When the check ceased to be ok.
    pub since: String,
    /// When it became ok again.
    pub ended: Option<String>,
    /// The address of the server.
    pub server: String,
    /// The version of Atrium.
    pub version: &'static str,
    /// All of it in one line.
    pub text: String,
}

/// What a message is made of.
pub(super) struct Facts<'a> {
    pub id: String,
    pub event: Event,
    pub check: &'a str,
    pub status: CheckStatus,
    pub sentence: &'a str,
    pub since: Timestamp,
    pub ended: Option<Timestamp>,
    pub server: &'a str,
}

impl Message {
    pub(super) fn new(facts: Facts<'_>) -> Self {
        let Facts { id, event, check, status, sentence, since, ended, server } = facts;
        let head = match event {
            Event::Began => format!("{server}: {check} is {}", said(status)),
            Event::Stands => format!("{server}: {check} is still {}", said(status)),
            Event::Over => {
                let seconds = ended.map_or(0, |ended| ended.seconds() - since.seconds());
                let length = duration(u64::try_from(seconds).unwrap_or_default());
                format!("{server}: {check} is ok again, after {length}")
            }
            Event::Test => format!("{server}: test of alerts"),
        };
        Self {
            id,
            event,
            check: check.to_owned(),
            status,
            message: sentence.to_owned(),
            since: since.to_string(),
            ended: ended.map(|ended| ended.to_string()),
            server: server.to_owned(),
            version: env!("CARGO_PKG_VERSION"),
            text: if event == Event::Over {
                format!("{head}. It was: {sentence}")
            } else {
                format!("{head}. {sentence}")
            },
        }
    }

    /// Returns the subject of the e-mail.
    pub(super) fn subject(&self) -> String {
        let what = match self.event {
            Event::Began | Event::Stands => format!("{}: {}", self.status.as_str(), self.check),
            Event::Over => format!("over: {}", self.check),
            Event::Test => "test of alerts".to_owned(),
        };
        format!("[Atrium] {what} ({})", self.server)
    }

    /// Returns the text of the e-mail.
    pub(super) fn body(&self) -> String {
        let Self { text, server, check, status, since, ended, version, .. } = self;
        let mut lines = vec![format!("{text}\n")];
        if self.event != Event::Test {
            lines.push(format!("Check:    {check}"));
            lines.push(format!("Status:   {}", status.as_str()));
            lines.push(format!("Since:    {since}"));
            lines.extend(ended.as_ref().map(|ended| format!("Ended:    {ended}")));
        }
        lines.push(format!("Server:   {server}"));
        lines.push(format!("Version:  {version}"));
        lines.push("\n\"atrium status\" shows all checks, \"atrium alerts list\" what stands.\n".to_owned());
        lines.join("\n")
    }

    /// Returns the variables of the command.
    pub(super) fn variables(&self) -> [(&'static str, &str); 9] {
        [
            ("ALERT_ID", &self.id),
            ("ALERT_EVENT", self.event.as_str()),
            ("ALERT_CHECK", &self.check),
            ("ALERT_STATUS", self.status.as_str()),
            ("ALERT_MESSAGE", &self.message),
            ("ALERT_SINCE", &self.since),
            ("ALERT_ENDED", self.ended.as_deref().unwrap_or_default()),
            ("ALERT_SERVER", &self.server),
            ("ALERT_TEXT", &self.text),
        ]
    }
}

/// Returns one line of at most [`MAX_SENTENCE`] characters: the text of a check may have an error of another program.
pub(super) fn one_line(said: &str) -> String {
    text::line(said).chars().take(MAX_SENTENCE).collect()
}

const fn said(status: CheckStatus) -> &'static str {
    match status {
        CheckStatus::Ok => "ok",
        CheckStatus::Warning => "a warning",
        CheckStatus::Failing => "failing",
    }
}
