//! The HTML page of the user interface, with the tenant's name, colour scheme and language inserted, so that the first
//! paint shows the tenant's branding.

use bytes::Bytes;
use serde::Serialize;

use crate::config::{Config, Signup};

/// The data that is inserted into the page before sign-in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Branding {
    /// The tenant's branding.
    pub company: CompanyBranding,
    /// The initial language.
    pub locale: String,
    /// The version of the user interface.
    pub front_version: String,
    /// Who may create a tenant: `open`, `first` or `closed`.
    pub signup: &'static str,
}

/// The branding of a tenant, or that of the installation if the tenant is unknown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CompanyBranding {
    /// The name.
    pub name: String,
    /// The address of the logotype for dark backgrounds.
    pub logotipo_dark: Option<String>,
    /// The address of the logotype for light backgrounds.
    pub logotipo_light: Option<String>,
    /// The colour scheme.
    pub color_scheme: String,
    /// The layout.
    pub layout: String,
}

impl Branding {
    /// Returns the branding of the installation, for hosts that belong to no tenant.
    pub fn of_installation(config: &Config, locale: &str, signup: Signup) -> Self {
        Self {
            company: CompanyBranding {
                name: config.installation.name.clone(),
                logotipo_dark: None,
                logotipo_light: None,
                color_scheme: config.installation.color_scheme.clone(),
                layout: "modern".to_owned(),
            },
            locale: locale.to_owned(),
            front_version: env!("CARGO_PKG_VERSION").to_owned(),
            signup: signup.config_value(),
        }
    }
}

/// Inserts the branding into the built page. Every value is escaped, because names are user input.
pub fn render_page(template: &str, branding: &Branding) -> serde_json::Result<Bytes> {
    let meta = escape(&serde_json::to_string(branding)?);
    let html = format!(
        "<html lang=\"{}\" class=\"light theme-{}\">",
        escape(&branding.locale),
        escape(&branding.company.color_scheme)
    );
    let title = format!("<title>{}</title>", escape(&branding.company.name));
    // Inserted values are escaped, so they cannot contain a later marker.
    let page = template
        .replacen("<html lang=\"en\" class=\"light theme-default\">", &html, 1)
        .replacen("<title>Atrium</title>", &title, 1)
        .replacen("<meta name=\"atrium\" content=\"\"", &format!("<meta name=\"atrium\" content=\"{meta}\""), 1);
    Ok(Bytes::from(page))
}

/// Escapes text for HTML, between tags and in quoted attributes.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEMPLATE: &str = "<!doctype html><html lang=\"en\" class=\"light theme-default\"><head><base href=\"/\" />\
        <title>Atrium</title><meta name=\"atrium\" content=\"\" /></head><body></body></html>";

    fn branding(name: &str) -> Branding {
        let mut branding = Branding::of_installation(&Config::default(), "es", Signup::First);
        branding.company.name = name.to_owned();
        branding.company.color_scheme = "teal".to_owned();
        branding
    }

    fn meta(page: &str) -> String {
        let start = page.find("content=\"").unwrap() + "content=\"".len();
        let quoted = page[start..].split('"').next().unwrap();
        quoted
            .replace("&quot;", "\"")
            .replace("&#39;", "'")
            .replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&amp;", "&")
    }

    #[test]
    fn page_contains_the_tenant_branding_and_locale() {
        let page = render_page(TEMPLATE, &branding("Acme Ltd")).unwrap();
        let page = std::str::from_utf8(&page).unwrap();
        assert!(page.contains("<html lang=\"es\" class=\"light theme-teal\">"));
        assert!(page.contains("<title>Acme Ltd</title>"));
        let meta: serde_json::Value = serde_json::from_str(&meta(page)).unwrap();
        assert_eq!(
            meta,
            serde_json::json!({
                "company": {"name": "Acme Ltd", "logotipo_dark": null, "logotipo_light": null, "color_scheme": "teal", "layout": "modern"},
                "locale": "es", "frontVersion": env!("CARGO_PKG_VERSION"), "signup": "first",
            })
        );
    }

    #[test]
    fn escapes_hostile_names_in_the_page() {
        for name in [
            "</title><script>alert(1)</script>",
            "\" onload=\"alert(1)",
            "' onload='alert(1)",
            "<title>Atrium</title>",
            "<meta name=\"atrium\" content=\"\"",
            "&lt;script&gt;",
            "--><script>",
            "\u{2028}\u{2029}\u{202e}\0",
            "{{constructor}} $1 $& \\1 %s {}",
            "]]>",
        ] {
            let mut branding = branding(name);
            branding.company.color_scheme = name.to_owned();
            branding.company.layout = name.to_owned();
            branding.company.logotipo_dark = Some(name.to_owned());
            branding.locale = name.to_owned();
            let page = render_page(TEMPLATE, &branding).unwrap();
            let page = std::str::from_utf8(&page).unwrap();
            for mark in ["<", ">"] {
                assert_eq!(page.matches(mark).count(), TEMPLATE.matches(mark).count(), "{name:?}: {page}");
            }
            assert_eq!(page.matches('"').count(), TEMPLATE.matches('"').count(), "{name:?}: {page}");
            assert!(!page.contains('\''), "{name:?}: {page}");
            let meta: serde_json::Value = serde_json::from_str(&meta(page)).unwrap();
            assert_eq!(meta["company"]["name"], name);
        }
    }

    #[test]
    fn ui_template_contains_each_marker_once() {
        let template = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("ui/index.html");
        if let Ok(template) = std::fs::read_to_string(template) {
            for marker in [
                "<html lang=\"en\" class=\"light theme-default\">",
                "<title>Atrium</title>",
                "<meta name=\"atrium\" content=\"\"",
            ] {
                assert_eq!(template.matches(marker).count(), 1, "{marker}");
            }
        }
    }
}
