//! Files on their way out: a picture as what it is, anything else as a download of unknown type, and
//! nothing that could act in the reader's name.

use std::fmt::Write as _;

use poem::{
    Body, Response, handler,
    http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE},
    web::Path,
};

use super::{
    model::{FileRecord, is_media},
    rules::UNKNOWN,
    vault::{Found, Vault},
};
use crate::{kernel::Error, wire::Reply};

/// Served by itself, a file may load nothing and run nothing.
const POLICY: &str = "sandbox; default-src 'none'";

/// `GET /media/{id}`. Whoever has the id may see the file, because pictures in a page carry no bearer
/// header; the id is random, so having it means that somebody who may see it handed it over. What an id
/// leads to never changes.
#[handler]
pub async fn media(Path(id): Path<String>, vault: Vault) -> Reply<Response> {
    if !is_media(&id) {
        return Err(Error::not_found().into());
    }
    let Found { record, file, length, logo } = vault.find(&id).await?;
    let mut response = Response::builder()
        .header("X-Content-Type-Options", "nosniff")
        .header(CONTENT_SECURITY_POLICY, POLICY)
        .header(CACHE_CONTROL, "private, max-age=31536000, immutable")
        .header(CONTENT_TYPE, if record.is_picture() { &record.kind } else { UNKNOWN })
        .header(CONTENT_DISPOSITION, disposition(&record))
        .header(CONTENT_LENGTH, length);
    if logo {
        // Mails show it, and webmail loads it into a page of another origin. No other file may be.
        response = response.header("Cross-Origin-Resource-Policy", "cross-origin");
    }
    Ok(response.body(Body::from_async_read(file)))
}

/// How a browser treats the file, and under which name it saves it (RFC 6266, RFC 8187).
fn disposition(file: &FileRecord) -> String {
    let way = if file.is_picture() { "inline" } else { "attachment" };
    let plain: String = file
        .name
        .chars()
        .map(|c| if c.is_ascii_graphic() && !"\"\\%".contains(c) || c == ' ' { c } else { '_' })
        .collect();
    let mut exact = String::new();
    for byte in file.name.bytes() {
        if byte.is_ascii_alphanumeric() || b"!#$&+-.^_`|~".contains(&byte) {
            exact.push(char::from(byte));
        } else {
            // Writing into a string cannot fail.
            let _ = write!(exact, "%{byte:02X}");
        }
    }
    format!("{way}; filename=\"{plain}\"; filename*=UTF-8''{exact}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_leave_its_quotation_marks() {
        let file = |name: &str, kind: &str| FileRecord {
            media: String::new(),
            name: name.to_owned(),
            size: 1,
            kind: kind.to_owned(),
            width: None,
            height: None,
            digest: None,
            doomed: false,
        };
        assert_eq!(
            disposition(&file("año \"x\".pdf", "application/pdf")),
            "attachment; filename=\"a_o _x_.pdf\"; filename*=UTF-8''a%C3%B1o%20%22x%22.pdf"
        );
        assert!(disposition(&file("a.png", "image/png")).starts_with("inline; "));
    }
}
