//! Readable device names from the `User-Agent` header.

/// Browsers by a marker in the header. The order matters: a marker may also occur in the headers of browsers above it.
const BROWSERS: [(&str, &str); 8] = [
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
];

/// Operating systems, in the same way.
const SYSTEMS: [(&str, &str); 8] = [
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("CrOS", "ChromeOS"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
    ("curl/", "curl"),
];

/// Returns a short name for a device: `Firefox · Windows`. An unknown device is named by the first 60 characters of its
/// header.
pub fn readable(agent: &str) -> String {
    let first =
        |table: &[(&str, &'static str)]| table.iter().find(|(sign, _)| agent.contains(sign)).map(|(_, name)| *name);
    match (first(&BROWSERS), first(&SYSTEMS)) {
        (Some(browser), Some(system)) => format!("{browser} · {system}"),
        (Some(one), None) | (None, Some(one)) => one.to_owned(),
        (None, None) => agent.chars().take(60).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn user_agents_become_readable_names() {
        for (agent, name) in [
            ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox · Linux"),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0",
                "Edge · Windows",
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1",
                "Safari · iPhone",
            ),
            (
                "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36",
                "Chrome · Android",
            ),
            ("curl/8.5.0", "curl"),
            ("atrium-app", "atrium-app"),
            ("", ""),
        ] {
            assert_eq!(readable(agent), name);
        }
    }
}
