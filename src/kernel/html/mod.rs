//! HTML sanitizing: reduces HTML from people to a list of harmless tags, in linear time and memory.
//!
//! An HTML parser repeats open formatting elements in each block that follows (the "active formatting elements" of the
//! standard) and moves misplaced content of a table in front of it, so hostile nesting of 20 kB can make it build
//! millions of nodes. [`clean`] therefore processes the markup first, in one pass: it keeps only known tags and
//! attributes, closes elements in the order in which they were opened, gives tables the structure that they need, and
//! refuses too deep nesting. Where it drops the tags of a block, a line break keeps the words apart. The parser then makes
//! one node of each remaining tag. It alone decides what is harmless: everything that is kept has passed it.

use std::{collections::HashSet, sync::LazyLock};

use super::error::Faults;

/// Maximum of elements open inside each other.
const MAX_DEPTH: usize = 100;
/// Maximum of formatting elements (bold, links and the like) open inside each other.
const MAX_FORMATTING_DEPTH: usize = 20;

const SHORT_TAGS: [&str; 12] = ["b", "i", "em", "strong", "u", "br", "code", "p", "ul", "ol", "li", "a"];
const RICH_TAGS: [&str; 26] = [
    "b",
    "i",
    "em",
    "strong",
    "u",
    "s",
    "br",
    "code",
    "pre",
    "p",
    "ul",
    "ol",
    "li",
    "a",
    "h1",
    "h2",
    "h3",
    "h4",
    "blockquote",
    "hr",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
];

static SHORT_CLEANER: LazyLock<ammonia::Builder<'static>> = LazyLock::new(|| cleaner(&SHORT_TAGS));
static RICH_CLEANER: LazyLock<ammonia::Builder<'static>> = LazyLock::new(|| cleaner(&RICH_TAGS));

fn cleaner(tags: &[&'static str]) -> ammonia::Builder<'static> {
    let mut cleaner = ammonia::Builder::empty();
    cleaner
        .tags(tags.iter().copied().collect())
        .tag_attributes(
            [("a", HashSet::from(["href"])), ("th", HashSet::from(SPANS)), ("td", HashSet::from(SPANS))].into(),
        )
        .clean_content_tags(HashSet::from(["script", "style"]))
        .url_schemes(HashSet::from(["http", "https", "mailto"]))
        .link_rel(Some("noopener noreferrer"));
    cleaner
}

const SPANS: [&str; 2] = ["colspan", "rowspan"];

/// The set of tags that are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tags {
    /// Inline marks, lists and links: messages and notifications.
    Short,
    /// The same, and headings, quotations, code and tables: pages and notes.
    Rich,
}

/// Sanitizes HTML of at most `max` characters, both before and after. If it is too long or nested too deep, adds a
/// fault at `path` and returns an empty string.
///
/// Takes about a millisecond for each 20 kB: long texts are cleaned on the blocking thread pool, and never inside a
/// transaction.
pub fn clean(html: &str, tags: Tags, max: usize, path: &str, faults: &mut Faults) -> String {
    let too_long = |faults: &mut Faults, key| {
        faults.add_with(path, key, vec![("max", max.to_string())]);
        String::new()
    };
    if html.chars().count() > max {
        return too_long(faults, "errors.fields.too_long");
    }
    match Balancer::new(tags).balance(html) {
        Ok(balanced) => {
            let cleaner = if tags == Tags::Short { &SHORT_CLEANER } else { &RICH_CLEANER };
            let clean = keep_first_lines(&cleaner.clean(&balanced).to_string());
            // A different message, because the writer counts differently: `&` is stored as `&amp;`.
            if clean.chars().count() > max { too_long(faults, "errors.fields.too_long_html") } else { clean }
        }
        Err(TooDeep(most)) => {
            faults.add_with(path, "errors.fields.html_depth", vec![("max", most.to_string())]);
            String::new()
        }
    }
}

/// Sanitizes HTML that may already be. Empties it when it is too long or nested too deep. Returns whether it changed.
pub fn clean_again(html: &mut String, tags: Tags, max: usize) -> bool {
    let clean = clean(html, tags, max, "", &mut Faults::default());
    let changed = clean != *html;
    *html = clean;
    changed
}

/// Doubles a line feed at the start of a `pre`, because a parser drops the first one there.
fn keep_first_lines(clean: &str) -> String {
    clean.replace("<pre>\n", "<pre>\n\n")
}

/// Escapes text for HTML: between tags only, not in attributes.
pub fn escape_text(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Returns the text of sanitized HTML without its tags, for the search index. Linear, without a parser.
pub fn plain(html: &str) -> String {
    if !html.contains(['<', '&']) {
        return html.to_owned();
    }
    let mut bare = String::with_capacity(html.len());
    let mut pieces = Pieces(html);
    while let Some(piece) = pieces.next() {
        match piece {
            Piece::Text(text) => bare.push_str(text),
            // A blank for each tag, so that the words of neighbouring paragraphs stay apart.
            Piece::Start { .. } | Piece::End(_) => bare.push(' '),
        }
    }
    unescape(&bare).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn unescape(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&nbsp;", " ").replace("&amp;", "&")
}

/// Returns the text of sanitized HTML with a line for each paragraph, line break, row of a table and item of a list, for
/// files and programs that take only text.
pub fn lines(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    let mut pieces = Pieces(html);
    // The number of the last item of each list that is open; 0 in those without numbers.
    let mut lists: Vec<Option<usize>> = Vec::new();
    let mut is_verbatim = false;
    // What begins an item stands in the line of its mark.
    let mut is_at_mark = false;
    let end_line = |out: &mut String| {
        out.truncate(out.trim_end_matches(' ').len());
        if !out.is_empty() && !out.ends_with('\n') {
            out.push('\n');
        }
    };
    while let Some(piece) = pieces.next() {
        match piece {
            Piece::Text(text) if is_verbatim => out.push_str(text),
            Piece::Text(text) => {
                is_at_mark &= text.trim().is_empty();
                for (at, word) in text.split([' ', '\n', '\r', '\t']).enumerate() {
                    if at > 0 && !out.is_empty() && !out.ends_with([' ', '\n']) {
                        out.push(' ');
                    }
                    out.push_str(word);
                }
            }
            Piece::Start { name: "br", .. } => {
                out.truncate(out.trim_end_matches(' ').len());
                out.push('\n');
            }
            Piece::Start { name: "li", .. } => {
                end_line(&mut out);
                out.push_str(&"  ".repeat(lists.len().saturating_sub(1)));
                match lists.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        out.push_str(&number.to_string());
                        out.push_str(". ");
                    }
                    _ => out.push_str("- "),
                }
                is_at_mark = true;
            }
            Piece::Start { name: "td" | "th", .. } if !out.ends_with('\n') => out.push(' '),
            Piece::Start { name, .. } | Piece::End(name) if is_block(name) => {
                if !std::mem::take(&mut is_at_mark) {
                    end_line(&mut out);
                }
                match (&piece, name) {
                    (Piece::Start { .. }, "ol") => lists.push(Some(0)),
                    (Piece::Start { .. }, "ul") => lists.push(None),
                    (Piece::End(_), "ol" | "ul") => {
                        lists.pop();
                    }
                    _ => {}
                }
                is_verbatim = name == "pre" && matches!(piece, Piece::Start { .. });
            }
            Piece::Start { .. } | Piece::End(_) => {}
        }
    }
    unescape(out.trim())
}

/// Whether an element begins and ends a line.
fn is_block(tag: &str) -> bool {
    is_heading(tag)
        || matches!(tag, "p" | "div" | "blockquote" | "pre" | "ul" | "ol" | "li" | "table" | "tr" | "hr" | "figure")
}

/// Whether an element begins and ends a line in HTML, also one that is not kept. The cells of tables do not.
pub fn is_block_element(tag: &str) -> bool {
    const BLOCKS: [&str; 50] = [
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "caption",
        "center",
        "dd",
        "details",
        "dialog",
        "dir",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "head",
        "header",
        "hgroup",
        "hr",
        "html",
        "legend",
        "li",
        "main",
        "menu",
        "nav",
        "ol",
        "option",
        "p",
        "pre",
        "search",
        "section",
        "summary",
        "table",
        "tbody",
        "tfoot",
        "thead",
        "title",
        "tr",
        "ul",
        "xmp",
    ];
    BLOCKS.contains(&tag)
}

/// More elements are open than this limit allows.
struct TooDeep(usize);

/// A token of markup.
enum Piece<'h> {
    /// Text; a `<` in it does not start a tag.
    Text(&'h str),
    /// A start tag.
    Start { name: &'h str, attributes: &'h str },
    /// An end tag.
    End(&'h str),
}

/// Splits markup into text and tags, like the standard's tokenizer. Skips comments, declarations and a tag that never
/// ends. Reads each character a bounded number of times.
struct Pieces<'h>(&'h str);

impl<'h> Pieces<'h> {
    fn next(&mut self) -> Option<Piece<'h>> {
        loop {
            let rest = self.0;
            let second = |at: usize| rest.as_bytes().get(at).copied().unwrap_or_default();
            if rest.is_empty() {
                return None;
            }
            if !rest.starts_with('<') {
                return Some(Piece::Text(self.take(rest.find('<').unwrap_or(rest.len()))));
            }
            match second(1) {
                b if b.is_ascii_alphabetic() => {
                    return self.tag(1).map(|(name, attributes)| Piece::Start { name, attributes });
                }
                b'/' if second(2).is_ascii_alphabetic() => return self.tag(2).map(|(name, _)| Piece::End(name)),
                b'/' if second(2) == b'>' => drop(self.take(3)),
                b'/' if rest.len() == 2 => return Some(Piece::Text(self.take(2))),
                b'!' if rest.starts_with("<!--") => drop(self.take(comment(rest))),
                b'/' | b'!' | b'?' => drop(self.take(rest.find('>').map_or(rest.len(), |at| at + 1))),
                _ => return Some(Piece::Text(self.take(1))),
            }
        }
    }

    fn take(&mut self, length: usize) -> &'h str {
        let (taken, rest) = self.0.split_at(length);
        self.0 = rest;
        taken
    }

    /// Reads a tag whose name begins at `start`; returns the name and the rest of the tag. A tag that never ends is
    /// dropped with all that follows.
    fn tag(&mut self, start: usize) -> Option<(&'h str, &'h str)> {
        let rest = self.0;
        let name = rest[start..].find(ends_name).map_or(rest.len(), |length| start + length);
        let mut attributes = Attributes(&rest[name..]);
        while attributes.next().is_some() {}
        if attributes.0.is_empty() {
            self.0 = "";
            return None;
        }
        let end = rest.len() - attributes.0.len();
        self.take(end + 1);
        Some((&rest[start..name], &rest[name..end]))
    }

    /// Returns the text up to the end tag of an element that contains only text, and skips both.
    fn raw_text(&mut self, name: &str) -> &'h str {
        let rest = self.0;
        let mut from = 0;
        while let Some(at) = rest[from..].find("</").map(|at| from + at) {
            let end = at + 2 + name.len();
            let named = rest.get(at + 2..end).is_some_and(|found| found.eq_ignore_ascii_case(name));
            if named && rest[end..].starts_with(ends_name) {
                self.0 = &rest[at..];
                self.next();
                return &rest[..at];
            }
            from = at + 2;
        }
        self.take(rest.len())
    }
}

fn ends_name(c: char) -> bool {
    is_space(c) || c == '/' || c == '>'
}

const fn is_space(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\x0c' | '\r' | ' ')
}

/// Returns the length of the comment at the start of a text.
fn comment(text: &str) -> usize {
    for (abrupt, length) in [("<!-->", 5), ("<!--->", 6)] {
        if text.starts_with(abrupt) {
            return length;
        }
    }
    let mut from = "<!--".len();
    while let Some(at) = text[from..].find("--") {
        let end = from + at + 2;
        if let Some(rest) = [">", "!>"].iter().find_map(|close| text[end..].strip_prefix(close)) {
            return text.len() - rest.len();
        }
        // Of more than two hyphens the last two count.
        from = end - 1;
    }
    text.len()
}

/// The attributes of a tag. The rest begins with the tag's `>`, or is empty if the tag never ends.
struct Attributes<'h>(&'h str);

impl<'h> Iterator for Attributes<'h> {
    type Item = (&'h str, &'h str);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.0.trim_start_matches(|c| is_space(c) || c == '/');
        self.0 = rest;
        if rest.is_empty() || rest.starts_with('>') {
            return None;
        }
        // A leading equals sign is part of the name.
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let length = rest[first..].find(|c| ends_name(c) || c == '=').map_or(rest.len(), |at| first + at);
        let (name, rest) = rest.split_at(length);
        let Some(value) = rest.trim_start_matches(is_space).strip_prefix('=') else {
            self.0 = rest;
            return Some((name, ""));
        };
        let value = value.trim_start_matches(is_space);
        let (value, rest) = match value.chars().next() {
            Some(quote @ ('"' | '\'')) => value[1..].split_once(quote).unwrap_or(("", "")),
            _ => value.split_at(value.find(|c| is_space(c) || c == '>').unwrap_or(value.len())),
        };
        self.0 = rest;
        Some((name, value))
    }
}

/// Rewrites markup with known tags only, each closed at the end of its parent at the latest.
struct Balancer {
    tags: &'static [&'static str],
    out: String,
    open: Vec<&'static str>,
    formatting: usize,
    /// Whether text was written since the last block or line break.
    is_in_line: bool,
    /// What dropped tags put between the text before and the text behind them.
    gap: Gap,
}

/// What stands in place of the tags of blocks that are dropped, so that the words around them stay apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gap {
    None,
    Blank,
    Line,
}

impl Balancer {
    fn new(tags: Tags) -> Self {
        let tags: &'static [&'static str] = if tags == Tags::Short { &SHORT_TAGS } else { &RICH_TAGS };
        Self { tags, out: String::new(), open: Vec::new(), formatting: 0, is_in_line: false, gap: Gap::None }
    }

    fn balance(mut self, html: &str) -> Result<String, TooDeep> {
        self.out.reserve(html.len());
        let mut pieces = Pieces(html);
        while let Some(piece) = pieces.next() {
            match piece {
                Piece::Text(text) => self.text(text)?,
                Piece::Start { name, attributes } => match name.to_ascii_lowercase().as_str() {
                    raw @ ("script" | "style") => drop(pieces.raw_text(raw)),
                    raw @ ("textarea" | "title" | "xmp" | "iframe" | "noembed" | "noframes") => {
                        self.drop_tag(raw);
                        self.text(pieces.raw_text(raw))?;
                        self.drop_tag(raw);
                    }
                    name => match self.known(name) {
                        Some(tag) => self.start(tag, attributes)?,
                        None => self.drop_tag(name),
                    },
                },
                Piece::End(name) => {
                    let name = name.to_ascii_lowercase();
                    match self.known(&name) {
                        Some(tag) => self.end(tag),
                        None => self.drop_tag(&name),
                    }
                }
            }
        }
        self.close(0);
        Ok(self.out)
    }

    fn known(&self, name: &str) -> Option<&'static str> {
        self.tags.iter().copied().find(|tag| *tag == name)
    }

    fn text(&mut self, text: &str) -> Result<(), TooDeep> {
        if !text.chars().all(is_space) {
            self.need_cell()?;
            self.fill_gap();
            self.is_in_line = true;
        }
        self.out.push_str(&text.replace('<', "&lt;"));
        Ok(())
    }

    /// Keeps the text before and behind a tag apart that is dropped, if it is of a block or of a cell.
    fn drop_tag(&mut self, tag: &str) {
        if !self.is_in_line {
            return;
        }
        if matches!(tag, "td" | "th") {
            self.gap = if self.gap == Gap::None { Gap::Blank } else { self.gap };
        } else if is_block_element(tag) {
            self.gap = Gap::Line;
        }
    }

    /// Writes what dropped tags put before the text that follows.
    fn fill_gap(&mut self) {
        match std::mem::replace(&mut self.gap, Gap::None) {
            Gap::None => {}
            Gap::Blank => self.out.push(' '),
            Gap::Line => self.write_tag("br", ""),
        }
    }

    fn start(&mut self, tag: &'static str, attributes: &str) -> Result<(), TooDeep> {
        if is_table_part(tag) {
            let Some(table) = self.last(&["table"], &[]) else {
                self.drop_tag(tag);
                return Ok(());
            };
            self.table_part(tag, table)?;
        } else {
            self.need_cell()?;
            self.end_implied(tag);
        }
        if is_formatting(tag) || tag == "br" {
            self.fill_gap();
        }
        if matches!(tag, "br" | "hr") {
            self.write_tag(tag, "");
            return Ok(());
        }
        self.open(tag, attributes)
    }

    /// Closes the elements that a table's part ends implicitly, and opens the row that a cell needs.
    fn table_part(&mut self, tag: &'static str, table: usize) -> Result<(), TooDeep> {
        let section = usize::from(self.open.get(table + 1).is_some_and(|tag| matches!(*tag, "thead" | "tbody")));
        let rows = table + 1 + section;
        match tag {
            "thead" | "tbody" => self.close(table + 1),
            "tr" => self.close(rows),
            _ => {
                if self.open.get(rows) == Some(&"tr") {
                    self.close(rows + 1);
                } else {
                    self.close(rows);
                    self.open("tr", "")?;
                }
            }
        }
        Ok(())
    }

    /// Opens a cell for content that is directly in a table, where only the table's parts are allowed.
    fn need_cell(&mut self) -> Result<(), TooDeep> {
        if matches!(self.open.last(), Some(&("table" | "thead" | "tbody"))) {
            self.open("tr", "")?;
        }
        if self.open.last() == Some(&"tr") {
            self.open("td", "")?;
        }
        Ok(())
    }

    /// Closes the elements that the start of another element ends implicitly.
    fn end_implied(&mut self, tag: &str) {
        let ended = match tag {
            "li" => self.last(&["li"], &["ul", "ol", "blockquote", "td", "th", "table"]),
            "a" => self.last(&["a"], CELLS),
            _ => None,
        };
        self.close(ended.unwrap_or(self.open.len()));
        if !is_formatting(tag) && tag != "br" {
            let paragraph = self.last(&["p"], CELLS);
            self.close(paragraph.unwrap_or(self.open.len()));
        }
        if is_heading(tag) && self.open.last().is_some_and(|last| is_heading(last)) {
            self.close(self.open.len() - 1);
        }
    }

    fn end(&mut self, tag: &'static str) {
        let found = if tag == "table" || is_table_part(tag) {
            self.last(&[tag], if tag == "table" { &[] } else { &["table"] })
        } else {
            self.last(&[tag], CELLS)
        };
        if found.is_none() && is_table_part(tag) {
            self.drop_tag(tag);
        }
        self.close(found.unwrap_or(self.open.len()));
    }

    /// Returns the index of the innermost open element that is one of `tags`, searched up to one of `bounds`.
    fn last(&self, tags: &[&str], bounds: &[&str]) -> Option<usize> {
        let at = self.open.iter().rposition(|open| tags.contains(open) || bounds.contains(open))?;
        tags.contains(&self.open[at]).then_some(at)
    }

    fn open(&mut self, tag: &'static str, attributes: &str) -> Result<(), TooDeep> {
        if self.open.len() >= MAX_DEPTH {
            return Err(TooDeep(MAX_DEPTH));
        }
        self.formatting += usize::from(is_formatting(tag));
        if self.formatting > MAX_FORMATTING_DEPTH {
            return Err(TooDeep(MAX_FORMATTING_DEPTH));
        }
        self.open.push(tag);
        self.write_tag(tag, attributes);
        Ok(())
    }

    fn write_tag(&mut self, tag: &str, attributes: &str) {
        self.begin_line(tag);
        self.out.push('<');
        self.out.push_str(tag);
        let kept: &[&str] = match tag {
            "a" => &["href"],
            "td" | "th" => &SPANS,
            _ => &[],
        };
        for name in kept {
            // Of duplicate attributes the first counts.
            if let Some((_, value)) = Attributes(attributes).find(|(found, _)| found.eq_ignore_ascii_case(name)) {
                let value = value.replace('"', "&quot;");
                self.out.extend([" ", name, "=\"", &value, "\""]);
            }
        }
        self.out.push('>');
    }

    /// Notes that a tag begins a line, if it does.
    fn begin_line(&mut self, tag: &str) {
        if !is_formatting(tag) {
            self.is_in_line = false;
            self.gap = Gap::None;
        }
    }

    /// Closes all but the outermost `left` open elements.
    fn close(&mut self, left: usize) {
        while self.open.len() > left
            && let Some(tag) = self.open.pop()
        {
            self.begin_line(tag);
            self.formatting -= usize::from(is_formatting(tag));
            self.out.push_str("</");
            self.out.push_str(tag);
            self.out.push('>');
        }
    }
}

/// Boundaries of a search for open elements: content of a cell cannot end elements outside the table.
const CELLS: &[&str] = &["td", "th", "table"];

fn is_formatting(tag: &str) -> bool {
    matches!(tag, "a" | "b" | "i" | "em" | "strong" | "u" | "s" | "code")
}

fn is_heading(tag: &str) -> bool {
    matches!(tag, "h1" | "h2" | "h3" | "h4")
}

fn is_table_part(tag: &str) -> bool {
    matches!(tag, "thead" | "tbody" | "tr" | "th" | "td")
}

#[cfg(test)]
mod tests;
