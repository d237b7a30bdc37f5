//! Serving of uploaded files: pictures inline with their type, all others as downloads of unknown type, and never
//! anything that could act on behalf of the reader.

use std::io::SeekFrom;

use poem::{
    Body, Request, Response, handler,
    http::{
        Method, StatusCode,
        header::{
            ACCEPT_RANGES, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_SECURITY_POLICY,
            CONTENT_TYPE, ETAG, IF_RANGE, RANGE,
        },
    },
    web::Path,
};
use tokio::io::{AsyncReadExt as _, AsyncSeekExt as _};

use super::{
    file_store::{FileStore, OpenFile},
    model::{FileRecord, is_media},
    rules::UNKNOWN_TYPE,
};
use crate::{
    access::Visitor,
    kernel::{Error, run_blocking},
    wire::{Reply, content_disposition},
};

/// Content Security Policy of a file opened by itself: it may load nothing and run nothing, and no page may frame it.
const POLICY: &str = "sandbox; default-src 'none'; frame-ancestors 'none'";

/// Serves `GET /media/{id}` to members who may see a record that holds the file. Pictures in a page cannot carry a bearer
/// header, so a cookie of the session counts as well. The content of an id never changes, but each use asks again whether
/// the reader may see it.
#[handler]
pub async fn media(
    request: &Request,
    Path(id): Path<String>,
    visitor: Visitor,
    file_store: FileStore,
) -> Reply<Response> {
    if !is_media(&id) {
        return Err(Error::not_found().into());
    }
    let asks = visitor.file_reader();
    let files = file_store.clone();
    let media = id.clone();
    let found = run_blocking(move || files.find(&media, asks)).await?;
    let OpenFile { record, mut file, length, logo } = file_store.open_found(found).await?;
    let tag = format!("\"{id}\"");
    let mut response = Response::builder()
        .header(ETAG, &tag)
        .header(ACCEPT_RANGES, "bytes")
        .header("X-Content-Type-Options", "nosniff")
        .header(CONTENT_SECURITY_POLICY, POLICY)
        .header(CACHE_CONTROL, "private, no-cache")
        .header(CONTENT_TYPE, if record.is_picture() { &record.kind } else { UNKNOWN_TYPE })
        .header(CONTENT_DISPOSITION, disposition(&record));
    if logo {
        // E-mails show the logo, and webmail loads it into a page of another origin. No other file may be loaded so.
        response = response.header("Cross-Origin-Resource-Policy", "cross-origin");
    }
    Ok(match requested_range(request, &tag, length) {
        ByteRange::All => response.header(CONTENT_LENGTH, length).body(Body::from_async_read(file)),
        ByteRange::Part { first, last } => {
            file.seek(SeekFrom::Start(first)).await.map_err(Error::internal)?;
            let part = response
                .status(StatusCode::PARTIAL_CONTENT)
                .header(CONTENT_RANGE, format!("bytes {first}-{last}/{length}"))
                .header(CONTENT_LENGTH, last + 1 - first);
            part.body(Body::from_async_read(file.take(last + 1 - first)))
        }
        ByteRange::Unsatisfiable => response
            .status(StatusCode::RANGE_NOT_SATISFIABLE)
            .header(CONTENT_RANGE, format!("bytes */{length}"))
            .finish(),
    })
}

/// The part of a file that a request asks for.
#[derive(Debug, PartialEq, Eq)]
enum ByteRange {
    All,
    /// From the first byte to the last, both included.
    Part {
        first: u64,
        last: u64,
    },
    /// A range that the file does not have.
    Unsatisfiable,
}

/// Parses the range of a request. Multiple ranges, and a range of a version that is outdated, are answered
/// with the whole file (RFC 9110 §13.1.5 and §14.2).
fn requested_range(request: &Request, tag: &str, length: u64) -> ByteRange {
    let is_get = request.method() == Method::GET;
    let is_current = request.header(IF_RANGE).is_none_or(|known| known == tag);
    request.header(RANGE).filter(|_| is_get && is_current).map_or(ByteRange::All, |range| parse_range(range, length))
}

fn parse_range(range: &str, length: u64) -> ByteRange {
    let number = |text: &str| Some(text).filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))?.parse().ok();
    let bounds = range.strip_prefix("bytes=").and_then(|one| one.trim().split_once('-'));
    let (first, last) = match bounds {
        Some(("", count)) => match number(count) {
            Some(0) => return ByteRange::Unsatisfiable,
            Some(count) => (length.saturating_sub(count), length),
            None => return ByteRange::All,
        },
        Some((first, "")) => match number(first) {
            Some(first) => (first, length),
            None => return ByteRange::All,
        },
        Some((first, last)) => match (number(first), number(last)) {
            (Some(first), Some(last)) if first <= last => (first, last),
            _ => return ByteRange::All,
        },
        None => return ByteRange::All,
    };
    if first < length { ByteRange::Part { first, last: last.min(length - 1) } } else { ByteRange::Unsatisfiable }
}

/// Builds the `Content-Disposition` header with the file name.
fn disposition(file: &FileRecord) -> String {
    content_disposition(if file.is_picture() { "inline" } else { "attachment" }, &file.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn range_selects_one_part_or_the_whole_file() {
        for (range, wanted) in [
            ("bytes=0-3", ByteRange::Part { first: 0, last: 3 }),
            ("bytes=8-", ByteRange::Part { first: 8, last: 9 }),
            ("bytes=-3", ByteRange::Part { first: 7, last: 9 }),
            ("bytes=-30", ByteRange::Part { first: 0, last: 9 }),
            ("bytes=5-99", ByteRange::Part { first: 5, last: 9 }),
            ("bytes=10-", ByteRange::Unsatisfiable),
            ("bytes=-0", ByteRange::Unsatisfiable),
            ("bytes=3-1", ByteRange::All),
            ("bytes=0-1,3-4", ByteRange::All),
            ("bytes=+1-2", ByteRange::All),
            ("bytes=a-b", ByteRange::All),
            ("rows=0-1", ByteRange::All),
            ("bytes=99999999999999999999-", ByteRange::All),
        ] {
            assert_eq!(parse_range(range, 10), wanted, "{range}");
        }
        assert_eq!(parse_range("bytes=0-", 0), ByteRange::Unsatisfiable);
    }

    #[test]
    fn escapes_the_file_name_in_content_disposition() {
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
