//! Everything that can go wrong, as one catalogue of codes. The code is what programs read and the
//! key under which people's words for it stand in `i18n/`; what happened inside stays inside.

use std::fmt;

use super::text::is_hidden;

/// The result of anything that can fail with a code of the catalogue.
pub type Result<T, E = Error> = std::result::Result<T, E>;

macro_rules! catalogue {
    ($($(#[$doc:meta])* $name:ident = $code:literal, $status:literal;)*) => {
        /// A code of the catalogue (product §6). Stable: clients may rely on it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Code { $($(#[$doc])* $name,)* }

        impl Code {
            /// The whole catalogue.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The stable word.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $code,)* }
            }

            /// The HTTP status that carries it.
            #[must_use]
            pub const fn status(self) -> u16 {
                match self { $(Self::$name => $status,)* }
            }
        }
    };
}

catalogue! {
    /// The request cannot be read.
    BadRequest = "bad_request", 400;
    /// E-mail address and password do not belong together.
    InvalidCredentials = "invalid_credentials", 400;
    /// A link that was used, is over, or never was one.
    LinkInvalid = "link_invalid", 400;
    /// The code of the second factor is wrong, or was used.
    InvalidCode = "invalid_code", 400;
    /// Nobody is signed in, or no longer.
    NotSignedIn = "not_signed_in", 401;
    /// The access token was good and has run out: refresh the session.
    TokenExpired = "token_expired", 401;
    /// Signed in, but without the right.
    Forbidden = "forbidden", 403;
    /// The company asks for a second factor, and the caller has set none up.
    SecondFactorRequired = "second_factor_required", 403;
    /// No such thing, for this caller.
    NotFound = "not_found", 404;
    /// The address exists, but not with this method.
    MethodNotAllowed = "method_not_allowed", 405;
    /// It contradicts what is there already.
    Conflict = "conflict", 409;
    /// The address has a password in several companies.
    ChooseCompany = "choose_company", 409;
    /// The password is right, and the second factor is missing.
    SecondFactorNeeded = "second_factor_needed", 409;
    /// Somebody changed the record meanwhile.
    StaleVersion = "stale_version", 412;
    /// More than the server takes at once.
    TooLarge = "too_large", 413;
    /// Not a kind of content that this call takes.
    UnsupportedMediaType = "unsupported_media_type", 415;
    /// Understood, but not allowed to be so.
    Invalid = "invalid", 422;
    /// The `Idempotency-Key` stands for another request.
    IdempotencyMismatch = "idempotency_mismatch", 422;
    /// The session is locked until the password is given.
    SessionLocked = "session_locked", 423;
    /// Too many tries; wait.
    SlowDown = "slow_down", 429;
    /// A fault of ours.
    Internal = "internal", 500;
    /// What is stored there is damaged, and so is not shown, changed or removed.
    Damaged = "damaged", 500;
    /// The server cannot take it now; try again.
    Busy = "busy", 503;
}

/// Words for people: a key of `i18n/` and what is filled into its gaps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    /// The key, as in `errors.fields.required`.
    pub key: &'static str,
    /// Name and value of each gap.
    pub gaps: Vec<(&'static str, String)>,
}

/// What went wrong. Built from a code and refined by the methods below; what people see is made from
/// `code`, `words` and `fields` only, in `wire`.
pub struct Error(Box<Inner>);

struct Inner {
    code: Code,
    words: Option<Words>,
    fields: Vec<(String, Words)>,
    extras: Vec<(&'static str, serde_json::Value)>,
    retry_after: Option<u32>,
    detail: Option<String>,
    logged: bool,
}

impl Error {
    /// An error with the catalogue's own words.
    #[must_use]
    pub fn new(code: Code) -> Self {
        Self(Box::new(Inner {
            code,
            words: None,
            fields: Vec::new(),
            extras: Vec::new(),
            retry_after: None,
            detail: None,
            logged: false,
        }))
    }

    /// No such thing, for this caller.
    #[must_use]
    pub fn not_found() -> Self {
        Self::new(Code::NotFound)
    }

    /// A field that is not allowed to be so. `key` is the last part of `errors.fields.<key>`'s full name.
    #[must_use]
    pub fn field(path: impl Into<String>, key: &'static str) -> Self {
        Self::new(Code::Invalid).and_field(path, key, Vec::new())
    }

    /// A fault of ours: `detail` goes to the log, never to a client.
    #[must_use]
    pub fn internal(detail: impl fmt::Display) -> Self {
        Self::new(Code::Internal).with_detail(detail)
    }

    /// What is stored is damaged: `detail` names it, for the log and for the command line.
    #[must_use]
    pub fn damaged(detail: impl fmt::Display) -> Self {
        Self::new(Code::Damaged).with_detail(detail)
    }

    /// Whether it is because what is stored is damaged.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        self.0.code == Code::Damaged
    }

    /// Adds a faulty field.
    #[must_use]
    pub fn and_field(mut self, path: impl Into<String>, key: &'static str, gaps: Vec<(&'static str, String)>) -> Self {
        self.0.fields.push((path.into(), Words { key, gaps }));
        self
    }

    /// Moves a faulty field: what a rule calls `from` the form calls `to`.
    #[must_use]
    pub fn at(mut self, from: &str, to: &str) -> Self {
        for (path, _) in self.0.fields.iter_mut().filter(|(path, _)| path == from) {
            to.clone_into(path);
        }
        self
    }

    /// Says it with other words than the catalogue's.
    #[must_use]
    pub fn say(mut self, key: &'static str, gaps: Vec<(&'static str, String)>) -> Self {
        self.0.words = Some(Words { key, gaps });
        self
    }

    /// Adds a member to the error's body.
    #[must_use]
    pub fn with_extra(mut self, name: &'static str, value: serde_json::Value) -> Self {
        self.0.extras.push((name, value));
        self
    }

    /// Says after how many seconds to try again.
    #[must_use]
    pub fn retry_after(mut self, seconds: u32) -> Self {
        self.0.retry_after = Some(seconds);
        self
    }

    /// What happened inside, for the log.
    #[must_use]
    pub fn with_detail(mut self, detail: impl fmt::Display) -> Self {
        self.0.detail = Some(detail.to_string());
        self
    }

    /// Says that the log has the cause already: it is not written again with each request that fails of it.
    #[must_use]
    pub fn already_logged(mut self) -> Self {
        self.0.logged = true;
        self
    }

    /// Whether the log has the cause already.
    #[must_use]
    pub fn is_logged(&self) -> bool {
        self.0.logged
    }

    /// The code.
    #[must_use]
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// The words for people, when they are not the catalogue's.
    #[must_use]
    pub fn words(&self) -> Option<&Words> {
        self.0.words.as_ref()
    }

    /// The faulty fields.
    #[must_use]
    pub fn fields(&self) -> &[(String, Words)] {
        &self.0.fields
    }

    /// A further member of the body.
    #[must_use]
    pub fn extra(&self, name: &str) -> Option<&serde_json::Value> {
        self.0.extras.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// Seconds after which to try again.
    #[must_use]
    pub fn retry_seconds(&self) -> Option<u32> {
        self.0.retry_after
    }

    /// What happened inside: for the log only.
    #[must_use]
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

/// Collects faulty fields, so that a form hears of all of them at once.
#[derive(Default)]
pub struct Faults(Vec<(String, Words)>);

impl Faults {
    /// Notes a faulty field.
    pub fn add(&mut self, path: impl Into<String>, key: &'static str) {
        self.add_with(path, key, Vec::new());
    }

    /// Notes a faulty field whose words have gaps.
    pub fn add_with(&mut self, path: impl Into<String>, key: &'static str, gaps: Vec<(&'static str, String)>) {
        self.0.push((path.into(), Words { key, gaps }));
    }

    /// A text that must not be empty and not longer than `max` characters.
    pub fn required(&mut self, path: &str, text: &str, max: usize) {
        if text.chars().all(|c| c.is_whitespace() || is_hidden(c)) {
            self.add(path, "errors.fields.required");
        }
        self.at_most(path, text, max);
    }

    /// A text of at most `max` characters.
    pub fn at_most(&mut self, path: &str, text: &str, max: usize) {
        if text.chars().count() > max {
            self.add_with(path, "errors.fields.too_long", vec![("max", max.to_string())]);
        }
    }

    /// `Ok` when nothing was noted.
    ///
    /// # Errors
    /// `invalid` with all fields noted.
    pub fn into_result(self) -> Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        let mut error = Error::new(Code::Invalid);
        error.0.fields = self.0;
        Err(error)
    }
}
