//! Extractor of the mailer, for handlers whose response depends on whether the server sends e-mail.

use poem::{FromRequest, Request, RequestBody};

use crate::{kernel::Error, mail::Mailer, wire::Problem};

/// The server adds the mailer to each request.
impl<'a> FromRequest<'a> for Mailer {
    async fn from_request(request: &'a Request, _: &mut RequestBody) -> poem::Result<Self> {
        let missing = || Problem(Error::internal("the server was put together without its mailer"));
        Ok(request.data::<Self>().cloned().ok_or_else(missing)?)
    }
}
