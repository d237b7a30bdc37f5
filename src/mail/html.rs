//! HTML bodies of e-mails, restricted to what mail clients support: tables, inline styles, and no remote content except
//! the tenant's logotype, whose address does not identify the reader.

use std::fmt::Write as _;

use url::Url;

use super::{branding::Branding, render::page_url};

/// The content of an e-mail.
pub(super) struct EmailContent<'s> {
    pub(super) locale: &'static str,
    pub(super) branding: &'s Branding,
    pub(super) base: &'s Url,
    pub(super) title: String,
    pub(super) greeting: String,
    pub(super) text: String,
    pub(super) quote: Option<String>,
    pub(super) details: Vec<(String, String)>,
    /// The items of a digest, each with its link.
    pub(super) items: Vec<Item>,
    /// The text and the address of the link to the e-mail settings.
    pub(super) settings: Option<(String, String)>,
    pub(super) button: String,
    pub(super) button_fails: String,
    pub(super) after: String,
    pub(super) footer: String,
    pub(super) link: &'s str,
}

/// An item of a digest.
pub(super) struct Item {
    pub(super) title: String,
    pub(super) text: String,
    pub(super) link: Option<String>,
}

const FONT: &str = "font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

/// Styles for dark mode. Outlook on the web marks elements instead of using the media query.
const STYLE: &str = "\
:root{color-scheme:light dark;supported-color-schemes:light dark}\
@media (prefers-color-scheme:dark){\
.page{background-color:#0f1418!important}.sheet{background-color:#171d22!important;border-left-color:#2b343b!important;border-right-color:#2b343b!important;border-bottom-color:#2b343b!important}\
.ink{color:#f2f5f7!important}.soft{color:#a7b2ba!important}.well{background-color:#20282e!important;border-color:#39444c!important}\
.on-light{display:none!important}.on-dark{display:block!important}.card{background-color:#ffffff!important}}\
[data-ogsc] .ink{color:#f2f5f7!important}[data-ogsc] .soft{color:#a7b2ba!important}\
@media (max-width:600px){.sheet,.foot{width:100%!important}.pad{padding-left:24px!important;padding-right:24px!important}}";

/// Escapes text for HTML, between tags or in an attribute. Links stay readable.
fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c => safe.push(c),
        }
    }
    safe
}

/// Escapes text and keeps its line breaks.
fn escape_lines(text: &str) -> String {
    escape(text).replace('\n', "<br>")
}

fn paragraph(class: &str, style: &str, text: &str) -> String {
    format!("<p class=\"{class}\" style=\"margin:0 0 16px;{FONT};{style}\">{}</p>\n", escape_lines(text))
}

/// Returns the tenant's logotype if it has one, or else its name.
fn heading(content: &EmailContent<'_>) -> String {
    let name = escape(&content.branding.name);
    let picture = |path: &str, class: &str, style: &str| {
        let source = escape(&page_url(content.base, path));
        format!(
            "<img class=\"{class}\" src=\"{source}\" alt=\"{name}\" height=\"36\" \
             style=\"{style};border:0;height:36px;width:auto;max-width:240px;{FONT};font-size:18px;font-weight:700\">"
        )
    };
    match (&content.branding.logo_on_light, &content.branding.logo_on_dark) {
        (Some(light), Some(dark)) => {
            // Clients without dark mode show the first one, and never the second.
            let first = picture(light, "on-light", "display:block");
            let second = picture(dark, "on-dark", "display:none;mso-hide:all");
            format!("{first}<!--[if !mso]><!-->{second}<!--<![endif]-->")
        }
        (Some(light), None) => format!(
            "<span class=\"card\" style=\"display:inline-block;border-radius:6px;padding:2px\">{}</span>",
            picture(light, "logo", "display:block")
        ),
        _ => format!("<b class=\"ink\" style=\"{FONT};font-size:18px;line-height:24px;color:#14191d\">{name}</b>"),
    }
}

fn quote(content: &EmailContent<'_>) -> String {
    let Some(quote) = &content.quote else { return String::new() };
    format!(
        "<table role=\"presentation\" width=\"100%\" cellpadding=\"0\" cellspacing=\"0\" border=\"0\" style=\"margin:0 0 16px\">\
         <tr><td class=\"well ink\" style=\"background-color:#f5f7f8;border-left:3px solid {};padding:12px 16px;{FONT};\
         font-size:15px;line-height:23px;color:#14191d\">{}</td></tr></table>\n",
        content.branding.accent(),
        escape_lines(quote)
    )
}

fn details(content: &EmailContent<'_>) -> String {
    if content.details.is_empty() {
        return String::new();
    }
    let mut rows = String::new();
    for (name, value) in &content.details {
        // Writing into a string cannot fail.
        let _ = write!(
            rows,
            "<tr><td class=\"soft\" valign=\"top\" style=\"padding:4px 16px 4px 0;{FONT};font-size:14px;line-height:20px;\
             color:#5b6770;white-space:nowrap\">{}</td><td class=\"ink\" valign=\"top\" style=\"padding:4px 0;{FONT};\
             font-size:14px;line-height:20px;color:#14191d\">{}</td></tr>",
            escape(name),
            escape(value)
        );
    }
    format!(
        "<table role=\"presentation\" cellpadding=\"0\" cellspacing=\"0\" border=\"0\" style=\"margin:0 0 16px\">{rows}</table>\n"
    )
}

fn items(content: &EmailContent<'_>) -> String {
    if content.items.is_empty() {
        return String::new();
    }
    let mut rows = String::new();
    for item in &content.items {
        let title = match &item.link {
            Some(link) => format!(
                "<a class=\"ink\" href=\"{}\" style=\"color:#14191d;font-weight:600;text-decoration:underline\">{}</a>",
                escape(link),
                escape(&item.title)
            ),
            None => escape(&item.title),
        };
        let text = if item.text.is_empty() { String::new() } else { format!("<br>{}", escape(&item.text)) };
        // Writing into a string cannot fail.
        let _ = write!(
            rows,
            "<tr><td class=\"well ink\" style=\"padding:10px 0;border-top:1px solid #dfe4e8;{FONT};font-size:14px;\
             line-height:21px;color:#14191d\">{title}{text}</td></tr>"
        );
    }
    format!(
        "<table role=\"presentation\" width=\"100%\" cellpadding=\"0\" cellspacing=\"0\" border=\"0\" \
         style=\"margin:0 0 16px\">{rows}</table>\n"
    )
}

/// Returns the link to the e-mail settings.
fn settings(content: &EmailContent<'_>) -> String {
    let Some((name, link)) = &content.settings else { return String::new() };
    format!(
        "<p style=\"margin:0 0 16px;{FONT};font-size:13px;line-height:20px\"><a class=\"soft\" href=\"{}\" \
         style=\"color:#5b6770;text-decoration:underline\">{}</a></p>\n",
        escape(link),
        escape(name)
    )
}

/// Returns a button with its padding on the cell: Outlook ignores padding on links.
fn button(content: &EmailContent<'_>) -> String {
    let accent = content.branding.accent();
    let link = escape(content.link);
    format!(
        "<table role=\"presentation\" cellpadding=\"0\" cellspacing=\"0\" border=\"0\" style=\"margin:8px 0 24px\"><tr>\
         <td align=\"center\" bgcolor=\"{accent}\" style=\"background-color:{accent};border-radius:8px;mso-padding-alt:13px 24px\">\
         <a href=\"{link}\" style=\"display:inline-block;padding:13px 24px;{FONT};font-size:15px;line-height:20px;\
         font-weight:600;color:#ffffff;text-decoration:none;border-radius:8px\">{}</a></td></tr></table>\n",
        escape(&content.button)
    )
}

/// Returns the whole page.
pub(super) fn render_html(content: &EmailContent<'_>) -> String {
    let accent = content.branding.accent();
    let link = escape(content.link);
    let body = [
        format!(
            "<h1 class=\"ink\" style=\"margin:0 0 20px;{FONT};font-size:22px;line-height:30px;font-weight:700;color:#14191d\">{}</h1>\n",
            escape(&content.title)
        ),
        paragraph("ink", "font-size:15px;line-height:23px;color:#14191d", &content.greeting),
        paragraph("ink", "font-size:15px;line-height:23px;color:#14191d", &content.text),
        quote(content),
        details(content),
        items(content),
        button(content),
        paragraph("soft", "font-size:13px;line-height:20px;color:#5b6770", &content.after),
        settings(content),
        paragraph("soft", "font-size:13px;line-height:20px;color:#5b6770", &content.button_fails).replace("margin:0 0 16px", "margin:0"),
        format!(
            "<p style=\"margin:0;{FONT};font-size:13px;line-height:20px;word-break:break-all\">\
             <a class=\"soft\" href=\"{link}\" style=\"color:#5b6770\">{link}</a></p>\n"
        ),
    ]
    .concat();
    format!(
        "<!doctype html>\n<html lang=\"{locale}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"supported-color-schemes\" content=\"light dark\">\n\
         <meta name=\"x-apple-disable-message-reformatting\">\n<title>{title}</title>\n<style>{STYLE}</style>\n\
         <!--[if mso]><style>*{{font-family:Arial,sans-serif!important}}</style><![endif]-->\n</head>\n\
         <body class=\"page\" style=\"margin:0;padding:0;background-color:#eef1f3\">\n\
         <table role=\"presentation\" class=\"page\" width=\"100%\" cellpadding=\"0\" cellspacing=\"0\" border=\"0\" \
         bgcolor=\"#eef1f3\" style=\"background-color:#eef1f3\">\n<tr><td align=\"center\" style=\"padding:32px 12px\">\n\
         <table role=\"presentation\" class=\"sheet\" width=\"560\" cellpadding=\"0\" cellspacing=\"0\" border=\"0\" \
         bgcolor=\"#ffffff\" style=\"width:560px;max-width:100%;background-color:#ffffff;border:1px solid #dfe4e8;\
         border-top:4px solid {accent};border-radius:12px\">\n\
         <tr><td class=\"pad\" style=\"padding:32px 40px 24px\">{heading}</td></tr>\n\
         <tr><td class=\"pad\" style=\"padding:0 40px 36px\">\n{body}</td></tr>\n</table>\n\
         <table role=\"presentation\" class=\"foot\" width=\"560\" cellpadding=\"0\" cellspacing=\"0\" border=\"0\" \
         style=\"width:560px;max-width:100%\">\n<tr><td class=\"pad soft\" align=\"left\" style=\"padding:20px 40px;{FONT};\
         font-size:12px;line-height:18px;color:#5b6770\">{footer}</td></tr>\n</table>\n</td></tr>\n</table>\n</body>\n</html>\n",
        locale = content.locale,
        title = escape(&content.title),
        heading = heading(content),
        footer = escape(&content.footer),
    )
}
