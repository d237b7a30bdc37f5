//! Paths of uploaded files: `/media/` and the media id, 32 lower-case hexadecimal digits.

/// The path prefix under which files are served.
pub const MEDIA: &str = "/media/";

/// Characters of a media id.
const ID_CHARS: usize = 32;

/// Extracts the media id from a path.
pub fn media_of(url: &str) -> Option<&str> {
    url.strip_prefix(MEDIA).filter(|id| is_media(id))
}

/// Whether a text has the form of a media id.
pub fn is_media(id: &str) -> bool {
    id.len() == ID_CHARS && id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Returns the media ids of all paths in a text, such as HTML.
pub fn media_in(text: &str) -> impl Iterator<Item = &str> {
    let ids = text.split(MEDIA).skip(1).filter_map(|rest| rest.get(..ID_CHARS));
    ids.filter(|id| is_media(id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_paths_in_a_text() {
        let one = "0123456789abcdef0123456789abcdef";
        let two = "ffffffffffffffffffffffffffffffff";
        let text = format!("<a href=\"/media/{one}\">é</a>/media/{two}/media/short /media/{}", one.to_uppercase());
        assert_eq!(media_in(&text).collect::<Vec<_>>(), [one, two]);
        assert_eq!(media_of(&format!("/media/{one}")), Some(one));
        assert_eq!(media_of(&format!("/media/{one}/")), None);
    }
}
