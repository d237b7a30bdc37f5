//! The browser's cookies, all out of the reach of scripts: the session's refresh token, the cookie for uploaded files, and
//! the device cookie, which identifies a browser from which a member signed in before.

use super::Visitor;
use crate::{
    access::sessions::{Refresh, Session},
    kernel::{Id, MemberId, Result, hex},
};

/// Seconds for which a device cookie is kept.
const DEVICE_COOKIE_SECONDS: i64 = 365 * 86_400;
/// Members in one device cookie.
const MEMBERS: usize = 5;
/// The purpose of its signatures.
const PURPOSE: &str = "device";
/// The purpose of the signatures of the cookie for uploaded files.
const MEDIA_PURPOSE: &str = "media";

/// A device cookie: a random number, and a signature over it for each member who signed in there.
#[derive(Clone, Default)]
pub(super) struct DeviceCookie {
    number: Option<[u8; 16]>,
    signatures: Vec<String>,
}

fn message(number: &[u8; 16], member: MemberId) -> Vec<u8> {
    [number.as_slice(), member.as_bytes()].concat()
}

impl Visitor {
    /// Returns the full name of a cookie. The prefix holds browsers to `Secure` and `Path=/` (RFC 6265bis §4.1.3.2),
    /// which is not possible over plain HTTP.
    fn cookie_name(&self, name: &str) -> String {
        if self.peer.https { format!("__Host-{name}") } else { name.to_owned() }
    }

    pub(in crate::access) fn cookie(&self, name: &str) -> Option<&str> {
        self.find_cookie(&self.cookie_name(name))
    }

    fn find_cookie(&self, name: &str) -> Option<&str> {
        let pairs = self.cookies.iter().flat_map(|header| header.split(';'));
        pairs.filter_map(|pair| pair.trim().split_once('=')).find(|(key, _)| *key == name).map(|(_, value)| value)
    }

    fn set(&self, name: &str, value: &str, seconds: Option<i64>) -> String {
        let name = self.cookie_name(name);
        let rest = if self.peer.https { "Path=/; Secure" } else { "Path=/api/auth" };
        let age = seconds.map(|seconds| format!("; Max-Age={seconds}")).unwrap_or_default();
        format!("{name}={value}; HttpOnly; SameSite=Strict; {rest}{age}")
    }

    /// Builds the header that sets the cookie by which pages load uploaded files, for a number of seconds or until the browser
    /// closes. It holds for these alone, and is sent with a link that is opened from an e-mail, too. It names a session and
    /// has no life of its own.
    pub(super) fn media_cookie(&self, session: Id<Session>, seconds: Option<i64>) -> Result<String> {
        let signature = self.auth.0.tokens.sign(MEDIA_PURPOSE, session.as_bytes())?;
        Ok(self.set_for_media(&format!("{session}.{signature}"), seconds))
    }

    /// Builds the header that clears it.
    pub(super) fn clear_media_cookie(&self) -> String {
        self.set_for_media("", Some(0))
    }

    /// A prefix that holds browsers to `Path=/` is not possible for a cookie of one path.
    fn media_cookie_name(&self) -> &'static str {
        if self.peer.https { "__Secure-atrium-media" } else { "atrium-media" }
    }

    fn set_for_media(&self, value: &str, seconds: Option<i64>) -> String {
        let name = self.media_cookie_name();
        let secure = if self.peer.https { "; Secure" } else { "" };
        let age = seconds.map(|seconds| format!("; Max-Age={seconds}")).unwrap_or_default();
        format!("{name}={value}; HttpOnly; SameSite=Lax; Path=/media/{secure}{age}")
    }

    /// Returns the session that the cookie for uploaded files names.
    pub(super) fn session_of_media_cookie(&self) -> Option<Id<Session>> {
        let (session, signature) = self.find_cookie(self.media_cookie_name())?.split_once('.')?;
        let session: Id<Session> = session.parse().ok()?;
        self.auth.0.tokens.is_signed(MEDIA_PURPOSE, session.as_bytes(), signature).then_some(session)
    }

    /// Returns the refresh token from the browser's cookie.
    pub(in crate::access) fn refresh_token(&self) -> Option<Refresh> {
        self.cookie("atrium").and_then(Refresh::parse)
    }

    /// Builds the header that sets a refresh token, for a number of seconds or until the browser closes.
    pub(super) fn token_cookie(&self, token: &Refresh, seconds: Option<i64>) -> String {
        self.set("atrium", &token.to_text(), seconds)
    }

    /// Builds the header that clears the refresh token.
    pub(super) fn clear_token_cookie(&self) -> String {
        self.set("atrium", "", Some(0))
    }

    /// Returns the browser's device cookie.
    pub(super) fn device_cookie(&self) -> DeviceCookie {
        let mut parts = self.cookie("atrium-device").unwrap_or_default().split('.');
        let number = parts.next().and_then(hex::decode).and_then(|bytes| bytes.try_into().ok());
        DeviceCookie { number, signatures: parts.take(MEMBERS).map(str::to_owned).collect() }
    }

    /// Returns the browser's number, if one of these members signed in from it before.
    pub(super) fn known_device(&self, members: impl IntoIterator<Item = MemberId>) -> Option<[u8; 16]> {
        let DeviceCookie { number, signatures } = self.device_cookie();
        let number = number?;
        let known = |member| {
            let message = message(&number, member);
            signatures.iter().any(|signature| self.auth.0.tokens.is_signed(PURPOSE, &message, signature))
        };
        members.into_iter().any(known).then_some(number)
    }

    /// Builds the header that adds this member to the browser's device cookie.
    pub(super) fn renew_device_cookie(&self, member: MemberId) -> Result<String> {
        let DeviceCookie { number, mut signatures } = self.device_cookie();
        let number = number.unwrap_or_else(|| self.auth.0.store.entropy().bytes());
        let signature = self.auth.0.tokens.sign(PURPOSE, &message(&number, member))?;
        signatures.retain(|known| *known != signature);
        signatures.insert(0, signature);
        signatures.truncate(MEMBERS);
        let value = format!("{}.{}", hex::encode(&number), signatures.join("."));
        Ok(self.set("atrium-device", &value, Some(DEVICE_COOKIE_SECONDS)))
    }
}
