//! Error codes: one catalogue of everything that can go wrong. Programs read the code, which is also the key of the
//! text for people in `i18n/`; internal details are never sent to clients.

use std::fmt;

use super::{
    clock::{Day, Timestamp},
    text::{MAX_TAGS, is_hidden},
};

/// The result of an operation that can fail with a code of the catalogue.
pub type Result<T, E = Error> = std::result::Result<T, E>;

macro_rules! catalogue {
    ($($(#[$doc:meta])* $name:ident = $code:literal, $status:literal;)*) => {
        /// A code of the catalogue (product §6). Stable: clients may rely on it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Code { $($(#[$doc])* $name,)* }

        impl Code {
            /// The whole catalogue.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Returns the stable text of the code.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $code,)* }
            }

            /// Returns the HTTP status of the code.
            pub const fn status(self) -> u16 {
                match self { $(Self::$name => $status,)* }
            }
        }
    };
}

catalogue! {
    /// The request cannot be read.
    BadRequest = "bad_request", 400;
    /// E-mail address and password do not match.
    InvalidCredentials = "invalid_credentials", 400;
    /// The link was used, has expired, or never existed.
    LinkInvalid = "link_invalid", 400;
    /// The code of the second factor is wrong, or was used.
    InvalidCode = "invalid_code", 400;
    /// No session, or the session has ended.
    NotSignedIn = "not_signed_in", 401;
    /// The access token has expired: refresh the session.
    TokenExpired = "token_expired", 401;
    /// The caller lacks a permission.
    Forbidden = "forbidden", 403;
    /// The tenant requires a second factor, and the caller has none.
    SecondFactorRequired = "second_factor_required", 403;
    /// The resource does not exist, or is not visible to the caller.
    NotFound = "not_found", 404;
    /// The record is in the bin, where the caller may see it.
    RecordInBin = "record_in_bin", 404;
    /// The path exists, but not with this method.
    MethodNotAllowed = "method_not_allowed", 405;
    /// The request conflicts with existing data.
    Conflict = "conflict", 409;
    /// Another import of the tenant, its check or its undoing is in progress.
    ImportInProgress = "import_in_progress", 409;
    /// The address has a password in several tenants.
    ChooseCompany = "choose_company", 409;
    /// The password is correct, and the second factor is missing.
    SecondFactorNeeded = "second_factor_needed", 409;
    /// The record was changed by another request.
    StaleVersion = "stale_version", 412;
    /// The request is larger than the server accepts.
    TooLarge = "too_large", 413;
    /// The call does not accept this content type.
    UnsupportedMediaType = "unsupported_media_type", 415;
    /// The request can be read, but breaks a rule.
    Invalid = "invalid", 422;
    /// The `Idempotency-Key` was used for another request.
    IdempotencyMismatch = "idempotency_mismatch", 422;
    /// The session is locked until the password is given.
    SessionLocked = "session_locked", 423;
    /// Too many attempts; wait.
    SlowDown = "slow_down", 429;
    /// A fault of the server.
    Internal = "internal", 500;
    /// The stored data is damaged, and so is not shown, changed or removed.
    Damaged = "damaged", 500;
    /// The server cannot process the request now; retry.
    Busy = "busy", 503;
}

/// A text for people: a key of `i18n/` and its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    /// The key, as in `errors.fields.required`.
    pub key: &'static str,
    /// Name and value of each parameter.
    pub params: Vec<(&'static str, String)>,
}

/// An error. Built from a code and refined by the methods below; the response, built in `wire`, shows only `code`,
/// `words` and `fields` to people.
pub struct Error(Box<Inner>);

struct Inner {
    code: Code,
    words: Option<Words>,
    fields: Vec<(String, Words)>,
    extras: Vec<(&'static str, serde_json::Value)>,
    retry_after: Option<u32>,
    detail: Option<String>,
    explanation: Option<String>,
    logged: bool,
}

impl Error {
    /// Creates an error with the catalogue's own text.
    pub fn new(code: Code) -> Self {
        Self(Box::new(Inner {
            code,
            words: None,
            fields: Vec::new(),
            extras: Vec::new(),
            retry_after: None,
            detail: None,
            explanation: None,
            logged: false,
        }))
    }

    /// Creates a `not_found`.
    pub fn not_found() -> Self {
        Self::new(Code::NotFound)
    }

    /// Creates an `invalid` for one field. `key` is the full key of its text, `errors.fields.<name>`.
    pub fn field(path: impl Into<String>, key: &'static str) -> Self {
        Self::new(Code::Invalid).and_field(path, key, Vec::new())
    }

    /// Creates an `internal`: `detail` goes to the log, never to a client.
    pub fn internal(detail: impl fmt::Display) -> Self {
        Self::new(Code::Internal).with_detail(detail)
    }

    /// Creates a `damaged`: `detail` names the stored data, for the log and for the command line.
    pub fn damaged(detail: impl fmt::Display) -> Self {
        Self::new(Code::Damaged).with_detail(detail)
    }

    /// Whether stored data is damaged.
    pub fn is_damage(&self) -> bool {
        self.0.code == Code::Damaged
    }

    /// Whether the server failed, so that the operation may succeed later: not a refusal of the request or of one record.
    pub fn is_of_server(&self) -> bool {
        matches!(self.0.code, Code::Internal | Code::Busy)
    }

    /// Adds an invalid field.
    pub fn and_field(
        mut self,
        path: impl Into<String>,
        key: &'static str,
        params: Vec<(&'static str, String)>,
    ) -> Self {
        self.0.fields.push((path.into(), Words { key, params }));
        self
    }

    /// Renames an invalid field: from the rule's name `from` to the form's name `to`.
    pub fn rename_field(mut self, from: &str, to: &str) -> Self {
        for (path, _) in self.0.fields.iter_mut().filter(|(path, _)| path == from) {
            to.clone_into(path);
        }
        self
    }

    /// Names the invalid fields as members of an object.
    pub fn within(mut self, object: &str) -> Self {
        for (path, _) in &mut self.0.fields {
            *path = format!("{object}.{path}");
        }
        self
    }

    /// Replaces the catalogue's text.
    pub fn say(mut self, key: &'static str, params: Vec<(&'static str, String)>) -> Self {
        self.0.words = Some(Words { key, params });
        self
    }

    /// Adds a member to the error's body.
    pub fn with_extra(mut self, name: &'static str, value: serde_json::Value) -> Self {
        self.0.extras.push((name, value));
        self
    }

    /// Sets the seconds after which to retry.
    pub fn retry_after(mut self, seconds: u32) -> Self {
        self.0.retry_after = Some(seconds);
        self
    }

    /// Sets the internal detail, for the log.
    pub fn with_detail(mut self, detail: impl fmt::Display) -> Self {
        self.0.detail = Some(detail.to_string());
        self
    }

    /// Sets the text for the operator: what happened, where, and what mends it. In English, never sent to a client.
    pub fn explain(mut self, text: impl Into<String>) -> Self {
        self.0.explanation = Some(text.into());
        self
    }

    /// Marks the cause as logged, so that each request that fails of it does not log it again.
    pub fn already_logged(mut self) -> Self {
        self.0.logged = true;
        self
    }

    /// Whether the log has the cause already.
    pub fn is_logged(&self) -> bool {
        self.0.logged
    }

    /// Returns the code.
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// Returns the text that replaces the catalogue's, if any.
    pub fn message(&self) -> Option<&Words> {
        self.0.words.as_ref()
    }

    /// Returns the text for the operator, if any.
    pub fn explanation(&self) -> Option<&str> {
        self.0.explanation.as_deref()
    }

    /// Returns the invalid fields.
    pub fn fields(&self) -> &[(String, Words)] {
        &self.0.fields
    }

    /// Returns an additional member of the body.
    pub fn extra(&self, name: &str) -> Option<&serde_json::Value> {
        self.0.extras.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// Returns the seconds after which to retry.
    pub fn retry_seconds(&self) -> Option<u32> {
        self.0.retry_after
    }

    /// Returns the internal detail: for the log only.
    pub fn detail(&self) -> Option<&str> {
        self.0.detail.as_deref()
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.code.as_str())?;
        for (path, words) in &self.0.fields {
            write!(f, " {path}: {}", words.key)?;
        }
        match &self.0.detail {
            Some(detail) => write!(f, " ({detail})"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.code.as_str())
    }
}

impl std::error::Error for Error {}

/// Collects invalid fields, so that a form shows all of them at once.
#[derive(Default)]
pub struct Faults(Vec<(String, Words)>);

impl Faults {
    /// Adds an invalid field.
    pub fn add(&mut self, path: impl Into<String>, key: &'static str) {
        self.add_with(path, key, Vec::new());
    }

    /// Adds an invalid field whose text has parameters.
    pub fn add_with(&mut self, path: impl Into<String>, key: &'static str, params: Vec<(&'static str, String)>) {
        self.0.push((path.into(), Words { key, params }));
    }

    /// Refuses a time before the first day of [`Day::PLANNED`], or more than five minutes in the future: clocks differ.
    pub fn past_time(&mut self, path: &str, at: Timestamp, now: Timestamp) {
        if at > now.plus_seconds(300) {
            self.add(path, "errors.fields.in_future");
        } else {
            self.day(path, at.day_in("UTC"), Day::PLANNED);
        }
    }

    /// Checks that a text is neither empty nor longer than `max` characters.
    pub fn required(&mut self, path: &str, text: &str, max: usize) {
        if text.chars().all(|c| c.is_whitespace() || is_hidden(c)) {
            self.add(path, "errors.fields.required");
        }
        self.at_most(path, text, max);
    }

    /// Checks that a text has at most `max` characters.
    pub fn at_most(&mut self, path: &str, text: &str, max: usize) {
        if text.chars().count() > max {
            self.add_with(path, "errors.fields.too_long", vec![("max", max.to_string())]);
        }
    }

    /// Checks that a list has at most `max` entries. Returns whether it has.
    pub fn few(&mut self, path: &str, count: usize, max: usize) -> bool {
        if count > max {
            self.add_with(path, "errors.fields.too_many", vec![("max", max.to_string())]);
        }
        count <= max
    }

    /// Checks that a day is neither before the first nor after the last of a range, such as [`Day::PLANNED`].
    pub fn day(&mut self, path: &str, day: Day, (first, last): (Day, Day)) {
        if !(first..=last).contains(&day) {
            self.add_with(path, "errors.fields.range", vec![("min", first.to_string()), ("max", last.to_string())]);
        }
    }

    /// Checks the number and the lengths of the tags of a record.
    pub fn tags(&mut self, tags: &[String]) {
        self.few("tags", tags.len(), MAX_TAGS);
        for (at, tag) in tags.iter().enumerate().take(MAX_TAGS) {
            self.at_most(&format!("tags.{at}"), tag, 50);
        }
    }

    /// Returns `Ok` if no field is invalid.
    /// Errors: `invalid` with all fields.
    pub fn into_result(self) -> Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        let mut error = Error::new(Code::Invalid);
        error.0.fields = self.0;
        Err(error)
    }
}
