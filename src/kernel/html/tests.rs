//! HTML sanitizing: what it keeps, and that its work grows only with the input's length, whatever the nesting.

use std::{
    fmt::Write as _,
    time::{Duration, Instant},
};

use proptest::prelude::*;

use super::*;

/// Input sizes of the benchmark, in kB.
const SIZES: [usize; 5] = [1, 10, 50, 100, 200];
/// More than the length of any input here.
const MAX_CHARS: usize = 10_000_000;

fn cleaned(html: &str, tags: Tags, max: usize) -> Result<String, Vec<&'static str>> {
    let mut faults = Faults::default();
    let clean = clean(html, tags, max, "body", &mut faults);
    faults.into_result().map(|()| clean).map_err(|error| error.fields().iter().map(|(_, words)| words.key).collect())
}

fn short(html: &str) -> String {
    cleaned(html, Tags::Short, MAX_CHARS).unwrap()
}

fn rich(html: &str) -> String {
    cleaned(html, Tags::Rich, MAX_CHARS).unwrap()
}

fn tags_in(html: &str) -> usize {
    html.matches('<').count()
}

#[test]
fn keeps_only_allowed_tags_and_safe_links_in_short_html() {
    let dirty = r#"<p onclick="x()">Hi <b>Ana</b><script>alert(1)</script><img src=x onerror=alert(1)> <a href="javascript:alert(1)">x</a> <a href="/tasks">t</a></p>"#;
    let clean = short(dirty);
    assert_eq!(
        clean,
        r#"<p>Hi <b>Ana</b> <a rel="noopener noreferrer">x</a> <a href="/tasks" rel="noopener noreferrer">t</a></p>"#
    );
    assert_eq!(short(&clean), clean);
    assert_eq!(short("<h1>x</h1><table><tr><td>y</td></tr></table>"), "x<br>y");
}

#[test]
fn parses_markup_as_the_html_standard_requires() {
    for (dirty, clean) in [
        ("1 < 2 &amp; 3 > 2 &lt;b>", "1 &lt; 2 &amp; 3 &gt; 2 &lt;b&gt;"),
        ("a<!-- <b>x</b> -->b<!-->c<!--->d<!-- x --!>e<!-- y --->f<!doctype html>g<?php x ?>h</>i", "abcdefghi"),
        ("<B TITLE='>' title=\"<i>\">x</B >y</ b>z", "<b>x</b>yz"),
        ("<a HREF=/a?x=1&amp;y=2 href=/b>x</a>", "<a href=\"/a?x=1&amp;y=2\" rel=\"noopener noreferrer\">x</a>"),
        ("<a href='/\"x'>x</a>", "<a href=\"/&quot;x\" rel=\"noopener noreferrer\">x</a>"),
        ("<style>b{}</style>x<textarea><b>t</textarea>y<ScRipt>z</script >", "x&lt;b&gt;ty"),
        ("x<b", "x"),
        ("x<a href=\"", "x"),
        ("x<script>y", "x"),
        ("x</", "x&lt;/"),
        ("<b/>x<br/>y", "<b>x<br>y</b>"),
        ("<svg><style><img src=x onerror=y></style></svg><math><mtext></math>", ""),
    ] {
        assert_eq!(rich(dirty), clean, "{dirty}");
    }
}

#[test]
fn closes_unclosed_elements() {
    for (dirty, clean) in [
        ("<p>a<p>b", "<p>a</p><p>b</p>"),
        ("<ul><li>a<li>b<ul><li>c</ul></ul>", "<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul>"),
        ("<b>x<i>y</b>z</i>", "<b>x<i>y</i></b>z"),
        ("<p><b>x<p>y", "<p><b>x</b></p><p>y</p>"),
        ("<h1>x<h2>y", "<h1>x</h1><h2>y</h2>"),
        ("</b></p></td>x", "x"),
        ("<tr><td>x", "x"),
        (
            "<table>x<tr><td>a<td><b>b</table>c",
            "<table><tbody><tr><td>x</td></tr><tr><td>a</td><td><b>b</b></td></tr></tbody></table>c",
        ),
        (
            "<table><thead><th colspan=2 onclick=x>a<tbody><tr><td>b<table><tr><td>c</table></b>d",
            "<table><thead><tr><th colspan=\"2\">a</th></tr></thead><tbody><tr><td>b<table><tbody><tr><td>c</td></tr>\
             </tbody></table>d</td></tr></tbody></table>",
        ),
    ] {
        assert_eq!(rich(dirty), clean, "{dirty}");
        assert_eq!(rich(clean), clean);
    }
}

// The kind of fault: what is dropped between two words makes them one.
#[test]
fn dropped_blocks_keep_words_apart() {
    for (dirty, clean) in [
        ("<div>one</div><div>two</div>", "one<br>two"),
        ("<div>one <b>two</b></div>\n<div><i>three</i></div>", "one <b>two</b>\n<br><i>three</i>"),
        ("<dl><dt>one</dt><dd>two</dd></dl>", "one<br>two"),
        ("<article><h5>one</h5><section>two</section></article>three", "one<br>two<br>three"),
        ("<b><div>one</div><div>two</div></b>", "<b>one<br>two</b>"),
        ("<tr><td>one</td><td>two</td></tr><tr><td>three</td></tr>", "one two<br>three"),
        ("<ul><li><div>one</div><div>two</div></li></ul>", "<ul><li>one<br>two</li></ul>"),
        ("<p>one</p><div>two</div><DIV>three</DIV>", "<p>one</p>two<br>three"),
        // An empty line of an editor is one, and a line break at the end of a block is none.
        ("<div>one</div><div><br></div><div>two</div>", "one<br><br>two"),
        ("<div>one<br></div><div>two</div>", "one<br>two"),
        // Where a block that is kept keeps them apart, nothing is added.
        ("<div><p>one</p></div><div><div><p>two</p></div></div>", "<p>one</p><p>two</p>"),
        ("<div><h2>one</h2>two<ul><li>three</li></ul></div>", "<h2>one</h2>two<ul><li>three</li></ul>"),
        ("one<span>two</span><img src=x>three", "onetwothree"),
    ] {
        assert_eq!(rich(dirty), clean, "{dirty}");
        assert_eq!(rich(clean), clean);
    }
    assert_eq!(short("<h2>one</h2><table><tr><th>two</th><td>three</td></tr></table>four"), "one<br>two three<br>four");
    assert_eq!(short("<blockquote>one</blockquote><pre>two</pre>three<hr>four"), "one<br>two<br>three<br>four");
}

#[test]
fn keeps_lines_lists_and_tables_as_text() {
    for (html, text) in [
        ("plain", "plain"),
        ("<p>one</p><p>two</p>", "one\ntwo"),
        ("<p>one<br>two <b>bold</b>&nbsp;&amp; three</p>", "one\ntwo bold & three"),
        (
            "<h2>Title</h2><ul><li><p>a</p></li><li>b<ul><li>c</li></ul></li></ul><p>end</p>",
            "Title\n- a\n- b\n  - c\nend",
        ),
        ("<ol><li>a</li><li>b</li></ol><ol><li>c</li></ol>", "1. a\n2. b\n1. c"),
        ("<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>", "a b\n1 2"),
        ("<pre>  x\n y</pre><p>z</p>", "x\n y\nz"),
        ("<p>one\n  two</p>", "one two"),
        ("<p>1 &lt; 2 &amp;lt; 3</p>", "1 < 2 &lt; 3"),
        ("<p></p><p> </p>", ""),
    ] {
        assert_eq!(lines(html), text, "{html}");
    }
}

#[test]
fn rejects_too_long_and_too_deeply_nested_html() {
    assert_eq!(cleaned("éé", Tags::Short, 2).as_deref(), Ok("éé"));
    assert_eq!(cleaned("ééé", Tags::Short, 2), Err(vec!["errors.fields.too_long"]));
    assert_eq!(cleaned("&", Tags::Short, 4), Err(vec!["errors.fields.too_long_html"]), "as it is kept: &amp;");
    let nested =
        |tag: &str, depth: usize| format!("{}x{}", format!("<{tag}>").repeat(depth), format!("</{tag}>").repeat(depth));
    assert_eq!(rich(&nested("b", MAX_FORMATTING_DEPTH)), nested("b", MAX_FORMATTING_DEPTH));
    assert_eq!(
        cleaned(&nested("b", MAX_FORMATTING_DEPTH + 1), Tags::Rich, MAX_CHARS),
        Err(vec!["errors.fields.html_depth"])
    );
    assert_eq!(rich(&nested("blockquote", MAX_DEPTH)), nested("blockquote", MAX_DEPTH));
    assert_eq!(
        cleaned(&nested("blockquote", MAX_DEPTH + 1), Tags::Rich, MAX_CHARS),
        Err(vec!["errors.fields.html_depth"])
    );
    // Removed elements may be nested without limit.
    assert_eq!(rich(&nested("div", 10_000)), "x");
}

fn numbered(count: usize, before: &str, after: &str) -> String {
    let mut text = String::new();
    for n in 0..count {
        write!(text, "{before}{n}{after}").unwrap();
    }
    text
}

/// Returns markup that costs an HTML parser much time or memory per byte, about `size` bytes each.
fn hostile(size: usize) -> Vec<(&'static str, String)> {
    let marks = |count: usize| numbered(count, "<b x=", ">");
    let half = size / 2;
    let fill = |piece: &str, size: usize| piece.repeat(size / piece.len());
    vec![
        ("formatting, then paragraphs", format!("<p>{}{}", marks(half / 9), fill("<p>x", half))),
        ("formatting within bounds", marks(MAX_FORMATTING_DEPTH) + &fill("<p>x", size - 9 * MAX_FORMATTING_DEPTH)),
        ("formatting left open in paragraphs", fill("<p><b><i><u><code><a href=/x>x", size)),
        ("misnested", fill("<b><i><p></b>x</i></p>", size)),
        ("nested in tables", fill("<table><b><tr>x", size)),
        ("fostered out of tables", "<table>".to_owned() + &fill("<br>x<b></b>", size)),
        ("formatting beside rows", format!("<table>{}{}", marks(MAX_FORMATTING_DEPTH - 1), fill("<tr></tr>x", size))),
        ("hidden in text elements", fill("<b x=1><select></b></select><svg></b><textarea></b></textarea>", size)),
        ("lists", fill("<ul><li>", size)),
        ("links", fill("<a href=x>", size)),
        ("attributes", format!("<b {}>", numbered(size / 7, "a", " "))),
        ("comments", fill("<!--x-->", size)),
        ("hyphens", "<!--".to_owned() + &fill("-", size)),
        ("tags that never end", fill("<a b='", size)),
        ("text elements that never end", fill("<textarea></", size)),
    ]
}

/// The parser on its own, as measured in F-S2: 8 kB produce more than a hundred thousand nodes.
#[test]
fn parser_without_balancer_multiplies_nested_formatting() {
    let (_, worst) = hostile(8_000).swap_remove(0);
    let tags = tags_in(&SHORT_CLEANER.clean(&worst).to_string());
    assert!(tags > 100_000, "{tags}");
}

#[test]
fn cleaned_size_of_hostile_html_stays_linear_in_its_length() {
    let mut report = String::new();
    for size in SIZES {
        let mut slowest = (Duration::ZERO, "");
        for (name, html) in hostile(size * 1_000) {
            let begun = Instant::now();
            let result = cleaned(&html, Tags::Rich, MAX_CHARS);
            slowest = slowest.max((begun.elapsed(), name));
            let Ok(balanced) = Balancer::new(Tags::Rich).balance(&html) else {
                assert_eq!(result, Err(vec!["errors.fields.html_depth"]), "{name}");
                continue;
            };
            // At most an implied row and cell, opened and closed, for each tag or text of the input.
            assert!(tags_in(&balanced) <= 6 * (2 * tags_in(&html) + 1), "{name}: {}", tags_in(&balanced));
            // The parser adds the `tbody` elements of tables.
            let clean = result.unwrap();
            assert!(tags_in(&clean) <= 2 * tags_in(&balanced), "{name}: {}", tags_in(&clean));
            assert!(clean.len() <= 20 * html.len(), "{name}: {}", clean.len());
        }
        write!(report, " {size} kB: {:?} ({});", slowest.0, slowest.1).unwrap();
    }
    // The benchmark of F-S2, printed with `--no-capture`.
    let mut out = std::io::stdout();
    std::io::Write::write_fmt(&mut out, format_args!("Sanitizing HTML, the slowest hostile nesting:{report}\n"))
        .unwrap();
}

proptest! {
    /// Checks that the parser adds nothing to balanced markup: cleaning again changes nothing, and no tags are added,
    /// except the `tbody` elements of tables.
    #[test]
    fn parser_adds_nothing_to_balanced_markup(
        pieces in prop::collection::vec(
            prop::sample::select(vec![
                "<b>", "</b>", "<i>", "</i>", "<a href=/x>", "</a>", "<p>", "</p>", "<li>", "</li>", "<ul>", "</ul>",
                "<h1>", "</h1>", "<h2>", "</h2>", "<pre>", "</pre>", "<blockquote>", "</blockquote>", "<table>",
                "</table>", "<tbody>", "</tbody>", "<thead>", "<tr>", "</tr>", "<td>", "</td>", "<th>", "<br>", "</br>",
                "<hr>", "<svg>", "<select>", "</select>", "<div>", "<template>", "<!--", "-->", "<style>", "</style>",
                "x", " ", "&lt;", "<", ">", "\"", "\n", "<a href=\"",
            ]),
            0..40,
        ),
    ) {
        let html = pieces.concat();
        if let Ok(balanced) = Balancer::new(Tags::Rich).balance(&html) {
            let clean = keep_first_lines(&RICH_CLEANER.clean(&balanced).to_string());
            let bodies = clean.matches("tbody>").count();
            prop_assert!(tags_in(&clean) <= tags_in(&balanced) + bodies, "{} -> {} -> {}", html, balanced, clean);
            prop_assert_eq!(rich(&clean), clean);
        }
    }

    #[test]
    fn cleaning_is_idempotent_for_any_text(html in "[<>/a-c!\"'= &;\\-ñ]{0,60}") {
        let clean = rich(&html);
        prop_assert_eq!(rich(&clean), clean);
    }
}

#[test]
fn keeps_an_empty_first_line_of_preformatted_text() {
    assert_eq!(rich("<pre>\n\nx</pre>"), "<pre>\n\nx</pre>");
    assert_eq!(rich("<pre>\nx</pre>"), "<pre>x</pre>");
}

#[test]
fn plain_text_keeps_words_apart() {
    assert_eq!(plain("<p>One</p><p>two &amp; three</p>"), "One two & three");
    assert_eq!(plain("a<a href=\"/x>y\" rel=\"z\">b</a> &lt;c&gt;&nbsp;&amp;lt;"), "a b <c> &lt;");
}

#[test]
fn escaped_text_round_trips_and_survives_cleaning() {
    let text = "1 < 2 & \"3\" > <b>2</b> &amp;";
    assert_eq!(plain(&escape_text(text)), text);
    assert_eq!(rich(&escape_text(text)), escape_text(text));
}
