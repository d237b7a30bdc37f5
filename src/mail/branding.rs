//! Branding of e-mails.

use crate::{config::Installation, kernel::i18n::Hours};

/// The branding of a tenant's e-mails, or that of the installation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Branding {
    /// The name.
    pub name: String,
    /// The colour scheme.
    pub color_scheme: String,
    /// The path of the logotype for light backgrounds.
    pub logo_on_light: Option<String>,
    /// The path of the logotype for dark backgrounds.
    pub logo_on_dark: Option<String>,
    /// The time zone of times in the text.
    pub timezone: String,
    /// How the hours of these times are counted; as is usual in the e-mail's language if `None`.
    pub hours: Option<Hours>,
}

impl Branding {
    /// Returns the branding of the installation, with times in UTC.
    pub fn of_installation(installation: &Installation) -> Self {
        Self {
            name: installation.name.clone(),
            color_scheme: installation.color_scheme.clone(),
            timezone: "UTC".to_owned(),
            ..Self::default()
        }
    }

    /// Returns the scheme's colour for buttons and the top border; white text is legible on it.
    pub(super) fn accent(&self) -> &'static str {
        let found = ACCENTS.iter().find(|(scheme, _)| *scheme == self.color_scheme);
        found.unwrap_or(&ACCENTS[0]).1
    }
}

/// The value of `--solid` in each colour scheme of the user interface, as hex colours that mail clients support.
const ACCENTS: [(&str, &str); 21] = [
    ("default", "#007a55"),
    ("purple", "#9810fa"),
    ("brand", "#007b47"),
    ("teal", "#00786f"),
    ("rose", "#ec003f"),
    ("amber", "#bb4d00"),
    ("blue", "#165dfc"),
    ("green", "#008236"),
    ("indigo", "#4f39f6"),
    ("lime", "#497d00"),
    ("cyan", "#007595"),
    ("emerald", "#007a55"),
    ("fuchsia", "#c800de"),
    ("orange", "#ca3500"),
    ("pink", "#e60076"),
    ("red", "#e7000b"),
    ("sky", "#0069a8"),
    ("slate", "#45556c"),
    ("stone", "#57534d"),
    ("violet", "#7f22fe"),
    ("yellow", "#a65f00"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::COLOR_SCHEMES;

    #[test]
    fn every_scheme_has_a_colour_with_enough_contrast_to_white() {
        assert_eq!(ACCENTS.map(|(scheme, _)| scheme), COLOR_SCHEMES);
        for (scheme, color) in ACCENTS {
            let part = |at: usize| f64::from(u8::from_str_radix(&color[at..at + 2], 16).unwrap()) / 255.0;
            let linear = |c: f64| if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) };
            let light = 0.2126 * linear(part(1)) + 0.7152 * linear(part(3)) + 0.0722 * linear(part(5));
            let contrast = 1.05 / (light + 0.05);
            assert!(contrast >= 4.4, "{scheme}: {contrast}");
        }
    }
}
