//! An error that is swallowed within a write after something was staged: the write commits what was done until then, and
//! data is lost without a trace. Every place that does not return the error of a write must make the write in
//! `TenantWrite::attempt`, or is listed below with the reason why nothing can be staged.
//!
//! Writes are found in the tokens of the code: functions that are given a `TenantWrite` or a `PersonalWrite`, their
//! methods, and functions in fields that are given one. A result that is matched, tested or dropped without passing its
//! error on is a place.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use super::architecture::product;

/// Types through which records are written.
const WRITES: [&str; 2] = ["TenantWrite", "PersonalWrite"];
/// Methods of results that drop errors.
const DROPPING: [&str; 12] = [
    "ok",
    "is_ok",
    "is_err",
    "is_ok_and",
    "is_err_and",
    "unwrap_or",
    "unwrap_or_default",
    "unwrap_or_else",
    "map_or",
    "map_or_else",
    "or",
    "or_else",
];
/// Places where nothing is staged when the error arises: file, function and reason.
const HARMLESS: [(&str, &str, &str); 0] = [];

/// Names of functions and methods that write.
#[derive(Debug, Default)]
struct Writing {
    functions: BTreeSet<String>,
    methods: BTreeSet<String>,
}

/// A place that swallows an error: the function and what is there.
type Place = (String, String);

struct Finder<'w> {
    writing: &'w Writing,
    function: String,
    places: Vec<Place>,
}

fn list(group: &Group) -> Vec<TokenTree> {
    group.stream().into_iter().collect()
}

fn ident(token: Option<&TokenTree>) -> Option<String> {
    match token {
        Some(TokenTree::Ident(ident)) => Some(ident.to_string()),
        _ => None,
    }
}

fn is_ident(token: Option<&TokenTree>, name: &str) -> bool {
    ident(token).is_some_and(|ident| ident == name)
}

fn is_punct(token: Option<&TokenTree>, punct: char) -> bool {
    matches!(token, Some(TokenTree::Punct(found)) if found.as_char() == punct)
}

fn group(token: Option<&TokenTree>, delimiter: Delimiter) -> Option<&Group> {
    match token {
        Some(TokenTree::Group(group)) if group.delimiter() == delimiter => Some(group),
        _ => None,
    }
}

fn text(tokens: &[TokenTree]) -> String {
    TokenStream::from_iter(tokens.to_vec()).to_string()
}

/// Whether tokens name a type of [`WRITES`], as a word.
fn names_write(tokens: &[TokenTree]) -> bool {
    text(tokens).split(|char: char| !char.is_alphanumeric()).any(|word| WRITES.contains(&word))
}

/// Returns the name, the parameters and the place of the body of the function at `at`.
fn function_at(tokens: &[TokenTree], at: usize) -> Option<(String, Vec<TokenTree>, usize)> {
    let name = ident(tokens.get(at + 1)).filter(|_| is_ident(tokens.get(at), "fn"))?;
    let parameters = (at + 2..tokens.len()).find(|at| group(tokens.get(*at), Delimiter::Parenthesis).is_some())?;
    let ends = |at: &usize| group(tokens.get(*at), Delimiter::Brace).is_some() || is_punct(tokens.get(*at), ';');
    let body = (parameters + 1..tokens.len()).find(ends)?;
    Some((name, list(group(tokens.get(parameters), Delimiter::Parenthesis)?), body))
}

/// Splits tokens at the commas that are not within angle brackets.
fn split(tokens: &[TokenTree]) -> Vec<Vec<TokenTree>> {
    let mut parts = vec![Vec::new()];
    let mut depth = 0_i32;
    for (at, token) in tokens.iter().enumerate() {
        let is_arrow = at > 0 && is_punct(tokens.get(at - 1), '-');
        depth += i32::from(is_punct(Some(token), '<')) - i32::from(is_punct(Some(token), '>') && !is_arrow);
        if depth == 0 && is_punct(Some(token), ',') {
            parts.push(Vec::new());
        } else if let Some(part) = parts.last_mut() {
            part.push(token.clone());
        }
    }
    parts
}

/// Returns the names of the parameters through which records are written: references, not functions that are given one.
fn handles_in(parameters: &[TokenTree]) -> Vec<String> {
    let is_handle = |part: &Vec<TokenTree>| names_write(part) && is_punct(part.get(2), '&');
    split(parameters).iter().filter(|part| is_handle(part)).filter_map(|part| ident(part.first())).collect()
}

impl Writing {
    fn read(&mut self, tokens: &[TokenTree], in_write: bool) {
        for at in 0..tokens.len() {
            let returns_result = |body: usize| {
                let signature = tokens.get(at..body).unwrap_or_default();
                signature.iter().any(|token| is_ident(Some(token), "Result"))
            };
            if let Some((name, parameters, body)) = function_at(tokens, at)
                && returns_result(body)
            {
                if !handles_in(&parameters).is_empty() {
                    self.functions.insert(name);
                } else if in_write && is_ident(parameters.get(1), "self") {
                    self.methods.insert(name);
                }
            }
            if is_ident(tokens.get(at), "impl")
                && let Some(body) = (at..tokens.len()).find(|at| group(tokens.get(*at), Delimiter::Brace).is_some())
                && names_write(tokens.get(at..body).unwrap_or_default())
                && let Some(body) = group(tokens.get(body), Delimiter::Brace)
            {
                self.read(&list(body), true);
            } else if let Some(body) = group(tokens.get(at), Delimiter::Brace) {
                self.read(&list(body), false);
            }
        }
    }
}

impl Finder<'_> {
    fn note(&mut self, what: &str) {
        self.places.push((self.function.clone(), what.to_owned()));
    }

    /// Looks through tokens; `handles` are the names through which records are written there.
    fn scan(&mut self, tokens: &[TokenTree], handles: &[String]) {
        let mut own = handles.to_vec();
        let mut results: Vec<String> = Vec::new();
        let mut at = 0;
        while at < tokens.len() {
            if let Some((name, parameters, body)) = function_at(tokens, at) {
                let mut own = handles_in(&parameters);
                if is_ident(parameters.get(1), "self") {
                    own.extend(handles.iter().filter(|name| *name == "self").cloned());
                }
                let outer = std::mem::replace(&mut self.function, name);
                if let Some(body) = group(tokens.get(body), Delimiter::Brace) {
                    self.scan(&list(body), &own);
                }
                self.function = outer;
                at = body + 1;
                continue;
            }
            if is_ident(tokens.get(at), "impl")
                && let Some(body) = (at..tokens.len()).find(|at| group(tokens.get(*at), Delimiter::Brace).is_some())
                && let Some(inner) = group(tokens.get(body), Delimiter::Brace)
                && handles.is_empty()
            {
                let is_write = names_write(tokens.get(at..body).unwrap_or_default());
                let own = if is_write { vec!["self".to_owned()] } else { Vec::new() };
                self.scan(&list(inner), &own);
                at = body + 1;
                continue;
            }
            // A closure that is given a handle: typed, or one called `tx` without a type.
            if is_punct(tokens.get(at), '|') && is_ident(tokens.get(at + 1), "tx") {
                let end = (at + 1..tokens.len()).find(|at| is_punct(tokens.get(*at), '|')).unwrap_or(at + 1);
                let parameters = tokens.get(at + 1..end).unwrap_or_default();
                own.retain(|name| name != "tx");
                if parameters.len() == 1 || names_write(parameters) {
                    own.push("tx".to_owned());
                }
            }
            // A result in a variable that is looked at later.
            if ident(tokens.get(at)).is_some_and(|name| results.contains(&name)) && !is_punct(tokens.get(at - 1), '.') {
                self.follow(tokens, at, at + 1, &mut results);
            }
            if let Some(end) = self.write_at(tokens, at, &own) {
                self.follow(tokens, at, end, &mut results);
            }
            if let Some(TokenTree::Group(group)) = tokens.get(at) {
                self.scan(&list(group), &own);
            }
            at += 1;
        }
    }

    /// Returns the place after a call that writes and begins at `at`.
    fn write_at(&self, tokens: &[TokenTree], at: usize, handles: &[String]) -> Option<usize> {
        let arguments = |at: usize| group(tokens.get(at), Delimiter::Parenthesis);
        let is_given = |group: &Group| {
            let first = list(group).into_iter().find(|token| !is_punct(Some(token), '&'));
            ident(first.as_ref()).is_some_and(|name| handles.contains(&name))
        };
        // (ops.change)(tx, …)
        if arguments(at).is_some() && arguments(at + 1).is_some_and(is_given) {
            return Some(at + 2);
        }
        let name = ident(tokens.get(at))?;
        // change(tx, …)
        if self.writing.functions.contains(&name) && arguments(at + 1).is_some_and(is_given) {
            return Some(at + 2);
        }
        // tx.update::<R>(…), tx.person(id).create(…)
        if !handles.contains(&name) || (at > 0 && is_punct(tokens.get(at - 1), '.')) {
            return None;
        }
        let mut at = at + 1;
        loop {
            let name = ident(tokens.get(at + 1)).filter(|_| is_punct(tokens.get(at), '.'))?;
            let mut end = at + 2;
            if is_punct(tokens.get(end), ':') {
                end = (end..tokens.len()).find(|at| arguments(*at).is_some())?;
            }
            arguments(end)?;
            match name.as_str() {
                "attempt" => return None,
                "person" | "own_data" | "colleague" => at = end + 1 + usize::from(is_punct(tokens.get(end + 1), '?')),
                name => return self.writing.methods.contains(name).then_some(end + 1),
            }
        }
    }

    /// Looks at what becomes of the result of the expression from `begin` to `end`.
    fn follow(&mut self, tokens: &[TokenTree], begin: usize, end: usize, results: &mut Vec<String>) {
        let mut end = end;
        while is_punct(tokens.get(end), '.') {
            let Some(name) = ident(tokens.get(end + 1)) else { return };
            if DROPPING.contains(&name.as_str()) {
                return self.note(&format!(".{name}()"));
            }
            end = (end + 2..tokens.len()).find(|at| !is_punct(tokens.get(*at), ':')).unwrap_or(tokens.len());
            end += usize::from(group(tokens.get(end), Delimiter::Parenthesis).is_some());
        }
        if is_punct(tokens.get(end), '?') {
            return;
        }
        // The beginning of the statement, or of the arm of a match.
        let opens = |at: &usize| is_punct(tokens.get(*at), ';') || is_punct(tokens.get(*at), ',');
        let start = (0..begin).rev().find(opens).map_or(0, |at| at + 1);
        let before = tokens.get(start..begin).unwrap_or_default();
        if let Some(arms) = group(tokens.get(end), Delimiter::Brace)
            && before.iter().any(|token| is_ident(Some(token), "match"))
        {
            return self.look_at_arms(&list(arms));
        }
        let Some(binding) = before.iter().rposition(|token| is_ident(Some(token), "let")) else { return };
        let pattern = before.get(binding + 1..).unwrap_or_default();
        match ident(pattern.first()).as_deref() {
            Some("Ok" | "Err") => self.note("let Ok or let Err"),
            Some(name) if name.starts_with('_') => self.note("let _"),
            Some("mut") => results.extend(ident(pattern.get(1))),
            Some(name) if is_punct(pattern.get(1), '=') => results.push(name.to_owned()),
            _ => {}
        }
    }

    /// Notes the arms for errors that do not pass them on.
    fn look_at_arms(&mut self, tokens: &[TokenTree]) {
        let is_arrow = |at: &usize| is_punct(tokens.get(*at), '=') && is_punct(tokens.get(*at + 1), '>');
        let mut at = 0;
        while let Some(arrow) = (at..tokens.len()).find(is_arrow) {
            let pattern = tokens.get(at..arrow).unwrap_or_default();
            let ends = |at: &usize| is_punct(tokens.get(*at), ',');
            let (body, next) = match group(tokens.get(arrow + 2), Delimiter::Brace) {
                Some(body) => (list(body), arrow + 3 + usize::from(is_punct(tokens.get(arrow + 3), ','))),
                None => {
                    let end = (arrow + 2..tokens.len()).find(ends).unwrap_or(tokens.len());
                    (tokens.get(arrow + 2..end).unwrap_or_default().to_vec(), end + 1)
                }
            };
            at = next;
            let is_of_errors = is_ident(pattern.first(), "Err") || is_punct(pattern.first(), '_') || pattern.len() == 1;
            let bound = if pattern.len() == 1 { ident(pattern.first()) } else { None };
            let body: Vec<String> = text(&body).split_whitespace().take(3).map(str::to_owned).collect();
            let words: Vec<&str> = body.iter().map(String::as_str).filter(|word| *word != "return").collect();
            let passes_on = words.first().is_some_and(|first| {
                first.starts_with("Err") || bound.as_ref().is_some_and(|bound| first.trim_end_matches('?') == bound)
            });
            if is_of_errors && !passes_on {
                self.note(&format!("{} =>", text(pattern)));
            }
        }
    }
}

/// Returns the places of a file.
fn find(writing: &Writing, tokens: &[TokenTree]) -> Vec<Place> {
    let mut finder = Finder { writing, function: String::new(), places: Vec::new() };
    finder.scan(tokens, &[]);
    finder.places
}

#[test]
fn errors_of_writes_are_passed_on_or_taken_back() {
    let files = product();
    let mut writing = Writing::default();
    for file in &files {
        writing.read(&file.tokens, false);
    }
    assert!(writing.functions.len() > 200 && writing.methods.len() > 10, "the test sees too few writes: {writing:?}");
    let mut places = BTreeSet::new();
    for file in &files {
        places.extend(
            find(&writing, &file.tokens).into_iter().map(|(function, what)| (file.name.clone(), function, what)),
        );
    }
    let is_harmless = |file: &str, function: &str| HARMLESS.iter().any(|known| known.0 == file && known.1 == function);
    let wrong: Vec<_> = places.iter().filter(|(file, function, _)| !is_harmless(file, function)).collect();
    assert!(wrong.is_empty(), "make these writes in `TenantWrite::attempt`: {wrong:#?}");
    let unused = HARMLESS.iter().find(|known| !places.iter().any(|place| place.0 == known.0 && place.1 == known.1));
    assert_eq!(unused, None, "no longer there");
}

#[test]
fn every_way_to_swallow_an_error_is_found() {
    let writes = "fn change(tx: &TenantWrite<'_>) -> Result<u8> {}
        impl TenantWrite<'_> { fn update(&self) -> Result<()> {} fn attempt(&self) {} }
        impl PersonalWrite<'_> { fn create(&self) -> Result<()> {} }";
    let mut writing = Writing::default();
    writing.read(&tokens_of(writes), false);
    for (body, count) in [
        ("match change(tx) { Ok(n) => n, Err(_) => {} }", 1),
        ("match change(tx) { Ok(n) => n, Err(error) if x(&error) => return Err(error), Err(_) => n += 1, }", 1),
        ("match change(tx) { Ok(n) => n, _ => 0 }", 1),
        ("match (ops.change)(tx, id) { Ok(()) => {} Err(error) => { list.push(error); } }", 1),
        ("let _ = tx.update::<R>(id);", 1),
        ("let _refused = change(&tx);", 1),
        ("if let Ok(n) = change(tx) { n }", 1),
        ("let Ok(n) = change(tx) else { return Ok(()) };", 1),
        ("let done = change(tx); match done { Ok(n) => n, Err(_) => 0 }", 1),
        ("let mut done = change(tx); done.is_ok()", 1),
        ("ids.iter().filter_map(|id| change(tx, id).ok())", 1),
        ("change(tx).map(|n| n + 1).unwrap_or_default()", 1),
        ("tx.person(id).create(1).is_err()", 1),
        ("tx.own_data()?.create(1).ok();", 1),
        ("tx.attempt(|| { change(tx).ok(); Ok(()) }).ok()", 1),
        ("store.write(tenant, move |tx| { change(tx).ok(); Ok(()) })", 1),
        ("match tx.attempt(|| change(tx)) { Ok(n) => n, Err(_) => 0 }", 0),
        ("match change(tx) { Ok(n) => n, Err(error) => return Err(error.within(\"x\")) }", 0),
        ("match change(tx) { Ok(n) => Ok(n), other => other }", 0),
        ("match change(tx)? { 1 => 2, _ => 3 }", 0),
        ("change(tx)?; tx.update()?; change(tx).map(drop)", 0),
        ("let n = change(tx)?; n.is_ok()", 0),
        ("map.update().ok(); other(tx).ok()", 0),
    ] {
        let source = format!("fn test(tx: &TenantWrite<'_>) -> Result<()> {{ {body} }}");
        let places = find(&writing, &tokens_of(&source));
        assert_eq!(places.len(), count, "{body}: {places:?}");
    }
    let read = "fn test(tx: &TenantRead<'_>) { change(tx).ok(); }";
    assert_eq!(find(&writing, &tokens_of(read)), []);
}

fn tokens_of(source: &str) -> Vec<TokenTree> {
    source.parse::<TokenStream>().unwrap().into_iter().collect()
}
