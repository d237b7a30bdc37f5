//! Versions in headers: `ETag` and `If-Match` (RFC 9110 §8.8.3 and §13.1.1), the number of the version in quotation
//! marks. A server's tag has a digest of the response after it, which changes also when what is shown of other records
//! does, such as the name of a customer's organization.

use xxhash_rust::xxh3::xxh3_64;

/// A version that no record has.
const NO_VERSION: u64 = 0;

/// Returns the version that an `If-Match` header expects; `None` without the header or with `*`. A value that is not
/// one tag of this server matches no record: the caller has seen another version.
pub fn expected(if_match: Option<&str>) -> Option<u64> {
    let tag = if_match.map(str::trim).filter(|tag| *tag != "*")?;
    Some(opaque_tag(tag).and_then(version).unwrap_or(NO_VERSION))
}

/// Returns the tag of a response with a version of a record.
pub fn tag(version: u64, body: &[u8]) -> String {
    format!("\"{version}-{:016x}\"", xxh3_64(body))
}

/// Whether a header is `*` or one tag, of this server or not (F-M7: an empty one is neither).
pub fn is_one(if_match: &str) -> bool {
    let tag = if_match.trim();
    tag == "*" || opaque_tag(tag).is_some_and(|inside| !inside.contains('"'))
}

/// Returns the part between the quotation marks of a tag.
fn opaque_tag(tag: &str) -> Option<&str> {
    tag.strip_prefix("W/").unwrap_or(tag).strip_prefix('"')?.strip_suffix('"')
}

/// Parses a version as the server writes it: digits only, without leading zeros; the digest may be missing.
fn version(inside: &str) -> Option<u64> {
    let inside = inside.split_once('-').map_or(inside, |(version, _)| version);
    inside.parse().ok().filter(|version: &u64| version.to_string() == inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn if_match_expects_one_quoted_version_number() {
        for (header, version) in [
            (None, None),
            (Some("*"), None),
            (Some("\"7\""), Some(7)),
            (Some(" W/\"7\""), Some(7)),
            (Some(tag(7, b"body").as_str()), Some(7)),
            (Some("\"seven\""), Some(NO_VERSION)),
            (Some("\"+7\""), Some(NO_VERSION)),
            (Some("\"07\""), Some(NO_VERSION)),
            (Some("7"), Some(NO_VERSION)),
            (Some("\""), Some(NO_VERSION)),
            (Some("\"7\", \"8\""), Some(NO_VERSION)),
            (Some(""), Some(NO_VERSION)),
        ] {
            assert_eq!(expected(header), version, "{header:?}");
        }
        for (header, fits) in
            [("*", true), ("\"7\"", true), ("W/\"x\"", true), ("7", false), ("\"", false), ("", false), (" ", false)]
        {
            assert_eq!(is_one(header), fits, "{header}");
        }
        assert!(!is_one("\"7\", \"8\""), "which of several it is that the caller saw, nobody knows");
    }
}
