//! Rendering of e-mails: subject, text and HTML, in the recipient's language.

use url::Url;

use super::{
    branding::Branding,
    email::Email,
    html::{EmailContent, Item, render_html},
    kind::{Device, DigestItem, Kind, Page},
};
use crate::kernel::{
    Timestamp,
    i18n::{Hours, Locale, clock, fill, say},
    text::line,
};

/// A rendered e-mail.
#[derive(Clone, Debug)]
pub struct Rendered {
    /// The subject, one line.
    pub subject: String,
    /// The body as plain text.
    pub text: String,
    /// The body as an HTML page.
    pub html: String,
    /// The target of its button.
    pub link: String,
}

/// Renders an e-mail written at `at` with this branding. Links begin with `base`, never with anything from a
/// request; `token` follows a `#`, so that browsers do not send it to a server.
pub fn render(email: &Email, at: Timestamp, branding: &Branding, base: &Url, token: Option<&str>) -> Rendered {
    let locale = Locale::parse(&email.locale).unwrap_or(Locale::EN);
    let texts = EmailTexts { email, at, branding, locale };
    let link = match (email.kind.page(), token) {
        (Page::Token(page), Some(token)) => {
            let mut link = page_url(base, page);
            link.push('#');
            link.push_str(token);
            link
        }
        (Page::Token(page) | Page::Plain(page), _) => page_url(base, page),
    };
    let content = EmailContent {
        locale: locale.code(),
        branding,
        base,
        title: texts.title(),
        greeting: texts.greeting(),
        text: texts.text(),
        quote: texts.quote(),
        details: texts.details(),
        button: texts.kind_text("button"),
        button_fails: texts.translate("mail.button_fails"),
        after: texts.kind_text("after"),
        footer: texts.translate_with("mail.footer", &[("host", display_host(base))]),
        items: texts.items(base),
        settings: email
            .kind
            .is_chosen()
            .then(|| (texts.translate("mail.settings"), page_url(base, "/settings/notifications"))),
        link: &link,
    };
    Rendered {
        subject: line(&texts.subject()),
        text: render_text(&content),
        html: render_html(&content),
        link: link.clone(),
    }
}

/// Returns the address of a page of the application: always a path below the base.
pub(super) fn page_url(base: &Url, path: &str) -> String {
    let mut url = base.clone();
    let (path, query) = path.split_once('?').map_or((path, None), |(path, query)| (path, Some(query)));
    url.set_path(path);
    url.set_query(query);
    url.set_fragment(None);
    url.to_string()
}

/// Returns host and port for display.
fn display_host(base: &Url) -> String {
    let host = base.host_str().unwrap_or_default();
    base.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

struct EmailTexts<'l> {
    email: &'l Email,
    at: Timestamp,
    branding: &'l Branding,
    locale: Locale,
}

impl EmailTexts<'_> {
    /// Returns a text of the e-mail's kind.
    fn kind_text(&self, part: &str) -> String {
        self.translate(&format!("mail.{}.{part}", self.email.kind.word()))
    }

    fn translate(&self, key: &str) -> String {
        self.translate_with(key, &[])
    }

    fn translate_with(&self, key: &str, more: &[(&'static str, String)]) -> String {
        let mut params = vec![
            ("company", line(&self.branding.name)),
            ("email", self.email.to.clone()),
            ("name", line(&self.email.name)),
        ];
        params.extend_from_slice(more);
        say(self.locale, key, &params)
    }

    fn title(&self) -> String {
        match &self.email.kind {
            Kind::Notification { title, .. } => line(title),
            _ => self.kind_text("title"),
        }
    }

    fn subject(&self) -> String {
        match &self.email.kind {
            Kind::Notification { title, .. } => {
                self.translate_with("mail.notification.subject", &[("title", line(title))])
            }
            _ => self.kind_text("subject"),
        }
    }

    fn greeting(&self) -> String {
        self.translate(if self.email.name.is_empty() { "mail.hello_nobody" } else { "mail.hello" })
    }

    fn text(&self) -> String {
        match &self.email.kind {
            Kind::Invitation { by: Some(by), .. } => {
                self.translate_with("mail.invitation.text_by", &[("by", line(by))])
            }
            Kind::EmailChanged { email } => self.translate_with("mail.email-changed.text", &[("new", line(email))]),
            Kind::FactorChanged { change } => self.translate(&format!("mail.factor-changed.changes.{}", change.word())),
            Kind::Operator { command, params } => {
                let text = say(self.locale, &format!("server.operator.{command}.description"), &[]);
                let params: Vec<_> = params.iter().map(|(name, value)| (name, line(value))).collect();
                fill(&text, &params)
            }
            Kind::Notification { text, .. } => line(text),
            _ => self.kind_text("text"),
        }
    }

    /// Returns the items of a digest, each with its link; the last one is the number of further items.
    fn items(&self, base: &Url) -> Vec<Item> {
        let Kind::Digest { items, more } = &self.email.kind else { return Vec::new() };
        let convert = |item: &DigestItem| Item {
            title: line(&item.title),
            text: line(&item.text),
            link: item.link.as_deref().map(|link| page_url(base, link)),
        };
        let mut shown: Vec<Item> = items.iter().map(convert).collect();
        if *more > 0 {
            let title = self.translate_with("mail.digest.more", &[("count", more.to_string())]);
            shown.push(Item { title, text: String::new(), link: None });
        }
        shown
    }

    /// Returns the inviting member's message.
    fn quote(&self) -> Option<String> {
        match &self.email.kind {
            Kind::Invitation { message: Some(message), .. } if !message.trim().is_empty() => {
                Some(message.trim().to_owned())
            }
            _ => None,
        }
    }

    /// Returns labels and values: device, address, time.
    fn details(&self) -> Vec<(String, String)> {
        let device = match &self.email.kind {
            Kind::NewDevice { from } | Kind::PasswordChanged { from: Some(from) } => from.clone(),
            Kind::SessionEnded { address } => Device { name: String::new(), address: address.clone() },
            Kind::PasswordChanged { from: None } | Kind::EmailChanged { .. } | Kind::FactorChanged { .. } => {
                Device { name: String::new(), address: String::new() }
            }
            _ => return Vec::new(),
        };
        let rows = [("device", line(&device.name)), ("address", line(&device.address)), ("time", self.time_text())];
        let labelled = |(name, value): (&str, String)| (self.translate(&format!("mail.details.{name}")), value);
        rows.into_iter().filter(|(_, value)| !value.is_empty()).map(labelled).collect()
    }

    /// Returns the e-mail's time in the tenant's time zone and the recipient's language.
    fn time_text(&self) -> String {
        let zone = jiff::tz::TimeZone::get(&self.branding.timezone).unwrap_or(jiff::tz::TimeZone::UTC);
        let local = self.at.jiff().to_zoned(zone);
        let hours = self.branding.hours.unwrap_or_else(|| Hours::of_language(self.locale));
        let params = [
            ("day", local.day().to_string()),
            ("month", self.translate(&format!("mail.months.{}", local.month()))),
            ("year", local.year().to_string()),
            ("time", clock(self.locale, hours, local.time())),
            ("zone", local.strftime("%Z").to_string()),
        ];
        self.translate_with("mail.moment", &params)
    }
}

/// Returns the body as plain text.
fn render_text(content: &EmailContent<'_>) -> String {
    let mut parts = vec![content.title.clone(), content.greeting.clone(), content.text.clone()];
    if let Some(quote) = &content.quote {
        parts.push(quote.lines().map(|line| format!("> {line}")).collect::<Vec<_>>().join("\n"));
    }
    if !content.details.is_empty() {
        let rows = content.details.iter().map(|(name, value)| format!("{name}: {value}"));
        parts.push(rows.collect::<Vec<_>>().join("\n"));
    }
    for item in &content.items {
        let lines = [Some(format!("* {}", item.title)), Some(item.text.clone()), item.link.clone()];
        let lines: Vec<String> = lines.into_iter().flatten().filter(|line| !line.is_empty()).collect();
        parts.push(lines.join("\n  "));
    }
    parts.push(format!("{}:\n{}", content.button, content.link));
    parts.push(content.after.clone());
    if let Some((name, link)) = &content.settings {
        parts.push(format!("{name}:\n{link}"));
    }
    parts.push(format!("-- \n{}", content.footer));
    let mut text = parts.join("\n\n");
    text.push('\n');
    text
}
