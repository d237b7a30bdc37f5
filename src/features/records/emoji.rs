//! Validation of single emoji by the form of the sequences in Unicode Technical Standard 51.

/// Maximum code points of an emoji: families and flags of regions are sequences of ten and more.
const MAX_CODE_POINTS: usize = 16;
const JOINER: char = '\u{200D}';
const EMOJI_PRESENTATION: char = '\u{FE0F}';
const KEYCAP: char = '\u{20E3}';

/// Checks whether a text is exactly one emoji.
pub fn is_emoji(text: &str) -> bool {
    let chars: Vec<char> = text.chars().collect();
    if chars.is_empty() || chars.len() > MAX_CODE_POINTS {
        return false;
    }
    let mut rest = chars.as_slice();
    loop {
        let Some(after) = skip_element(rest) else { return false };
        match after {
            [] => return true,
            [JOINER, next @ ..] => rest = next,
            _ => return false,
        }
    }
}

/// Returns the rest of a text after its first emoji element.
fn skip_element(text: &[char]) -> Option<&[char]> {
    match text {
        [a, b, rest @ ..] if is_regional(*a) && is_regional(*b) => Some(rest),
        ['0'..='9' | '#' | '*', EMOJI_PRESENTATION, KEYCAP, rest @ ..] => Some(rest),
        [base, rest @ ..] if is_base(*base) => {
            let rest = rest.strip_prefix(&[EMOJI_PRESENTATION]).unwrap_or(rest);
            let rest = rest.split_first().filter(|(tone, _)| is_tone(**tone)).map_or(rest, |(_, rest)| rest);
            let tags = rest.iter().take_while(|c| ('\u{E0020}'..='\u{E007F}').contains(*c)).count();
            rest.get(tags..)
        }
        _ => None,
    }
}

const fn is_regional(c: char) -> bool {
    matches!(c, '\u{1F1E6}'..='\u{1F1FF}')
}

const fn is_tone(c: char) -> bool {
    matches!(c, '\u{1F3FB}'..='\u{1F3FF}')
}

const fn is_base(c: char) -> bool {
    !is_regional(c)
        && matches!(c, '\u{A9}' | '\u{AE}' | '\u{203C}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{3030}'
            | '\u{303D}' | '\u{3297}' | '\u{3299}' | '\u{2190}'..='\u{21FF}' | '\u{2300}'..='\u{23FF}'
            | '\u{24C2}' | '\u{25A0}'..='\u{27BF}' | '\u{2934}' | '\u{2935}' | '\u{2B00}'..='\u{2BFF}'
            | '\u{1F000}'..='\u{1FAFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_only_a_single_emoji() {
        for emoji in ["👍", "❤️", "❤", "🇪🇸", "👨‍👩‍👧‍👦", "👋🏽", "🏴󠁧󠁢󠁷󠁬󠁳󠁿", "5️⃣", "🏳️‍🌈", "✅"]
        {
            assert!(is_emoji(emoji), "{emoji}");
        }
        for other in ["", "a", "ok", "👍👍", "👍 ", "5", "🇪", "\u{200D}", "👍\u{200D}", "<b>", "🏽👍", "é"]
        {
            assert!(!is_emoji(other), "{other}");
        }
        let long = ["👨"; 9].join("\u{200D}");
        assert!(!is_emoji(&long));
    }
}
