//! Versions in headers: `ETag` and `If-Match` (RFC 9110 §8.8.3 and §13.1.1), one number in quotation marks.

use crate::kernel::{Code, Error, Result};

/// The version that an `If-Match` header expects; `None` without the header or with `*`.
///
/// # Errors
/// `bad_request` when it is not one of our tags.
pub fn expected(if_match: Option<&str>) -> Result<Option<u64>> {
    let Some(tag) = if_match.map(str::trim).filter(|tag| *tag != "*") else { return Ok(None) };
    let number = tag.strip_prefix("W/").unwrap_or(tag).strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let version = number.and_then(|number| number.parse().ok());
    version.map(Some).ok_or_else(|| Error::new(Code::BadRequest).and_field("If-Match", "errors.fields.format", vec![]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_a_number_in_quotation_marks() {
        assert_eq!(expected(None).unwrap(), None);
        assert_eq!(expected(Some("*")).unwrap(), None);
        assert_eq!(expected(Some("\"7\"")).unwrap(), Some(7));
        assert_eq!(expected(Some("W/\"7\"")).unwrap(), Some(7));
        assert!(expected(Some("7")).is_err());
        assert!(expected(Some("\"seven\"")).is_err());
    }
}
