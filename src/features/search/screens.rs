//! Screens of the application as search results among the pages, found by their title in the caller's language.

use crate::{
    features::kinds,
    kernel::{
        i18n::{Locale, say},
        text::fold,
    },
};

/// Translation key of the title, and path, of the screens that show no kind of record.
const SCREENS: [(&str, &str); 12] = [
    ("navigation.dashboards.project", "/dashboards/project"),
    ("navigation.dashboards.analytics", "/dashboards/analytics"),
    ("navigation.settings", "/settings/account"),
    ("server.screens.appearance", "/settings/appearance"),
    ("server.screens.company", "/settings/company"),
    ("server.screens.audit", "/settings/audit"),
    ("server.screens.health", "/settings/company/health"),
    ("server.screens.bin", "/settings/data/bin"),
    ("server.screens.security", "/settings/security"),
    ("server.screens.messages", "/messages"),
    ("server.screens.notifications", "/notifications"),
    ("server.screens.test", "/test"),
];

/// A screen that a search found.
pub struct Screen {
    /// Its title.
    pub title: String,
    /// Its path.
    pub link: &'static str,
}

/// Finds up to `limit` screens whose title has, for each search word, a word that begins with it.
pub fn find(typed: &str, locale: Locale, limit: usize) -> Vec<Screen> {
    let folded = fold(typed);
    let words: Vec<&str> = folded.split_whitespace().collect();
    let records =
        kinds().filter_map(|kind| Some(screen(locale, &format!("navigation.{}", kind.name), kind.menu?.link)));
    let titled = records.chain(SCREENS.iter().map(|(key, link)| screen(locale, key, link)));
    let fits = |screen: &Screen| {
        let title = fold(&screen.title);
        words.iter().all(|word| title.split_whitespace().any(|part| part.starts_with(word)))
    };
    titled.filter(fits).take(limit).collect()
}

fn screen(locale: Locale, title: &str, link: &'static str) -> Screen {
    Screen { title: say(locale, title, &[]), link }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn screen_is_found_by_its_title_in_the_callers_language() {
        let link = |typed, locale| find(typed, locale, 5).first().map(|screen| screen.link);
        assert_eq!(link("cust", Locale::EN), Some("/customers"));
        assert_eq!(link("clien", Locale::ES), Some("/customers"));
        assert_eq!(link("cust", Locale::ES), None);
    }
}
