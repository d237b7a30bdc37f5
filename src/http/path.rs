//! Canonical paths: each resource has one spelling, and every other one is not found.

/// Whether a path has its canonical spelling: no empty, `.` or `..` segments, no segment that ends in a dot, no
/// backslash or semicolon, and escapes only for characters that need them.
pub fn is_canonical(path: &str) -> bool {
    let Some(rest) = path.strip_prefix('/') else {
        return false;
    };
    if rest.is_empty() {
        return true;
    }
    let parts = rest.strip_suffix('/').unwrap_or(rest);
    parts.split('/').all(|part| !part.is_empty() && !part.ends_with('.') && is_canonical_part(part))
}

fn is_canonical_part(part: &str) -> bool {
    let mut decoded = Vec::with_capacity(part.len());
    let mut bytes = part.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'%' => {
                let digits = [bytes.next(), bytes.next()];
                let [Some(high), Some(low)] = digits.map(|digit| char::from(digit?).to_digit(16)) else {
                    return false;
                };
                // Two hexadecimal digits always fit into a byte.
                let Ok(byte) = u8::try_from(high * 16 + low) else {
                    return false;
                };
                if byte.is_ascii_alphanumeric() || byte.is_ascii_control() || b"-._~/\\;%".contains(&byte) {
                    return false;
                }
                decoded.push(byte);
            }
            b'\\' | b';' | 0..=0x20 | 0x7f.. => return false,
            byte => decoded.push(byte),
        }
    }
    std::str::from_utf8(&decoded).is_ok()
}

/// Whether a path belongs to the API, regardless of case: the response there is never the page.
pub fn is_api(path: &str) -> bool {
    is_below(path, "/api")
}

/// Whether a path is a folder or lies below it, regardless of case.
pub(super) fn is_below(path: &str, folder: &str) -> bool {
    path.get(..folder.len()).is_some_and(|start| start.eq_ignore_ascii_case(folder))
        && matches!(path.as_bytes().get(folder.len()), None | Some(b'/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_only_the_canonical_spelling_of_a_path() {
        for path in [
            "/",
            "/api/customers",
            "/dashboard/",
            "/assets/index-B3x_9.js",
            "/i18n/en.json",
            "/pages/a-b_c~d",
            "/team/list",
            "/a/%20b",
            "/a/%C3%B1",
            "/a/%c3%b1",
            "/a/b+c",
            "/a/@b",
            "/a/b:c",
            "/.well-known/x",
        ] {
            assert!(is_canonical(path), "{path}");
        }
        for path in [
            "",
            "*",
            "api",
            "//",
            "//api",
            "/api//customers",
            "/api/customers//",
            "/api/./customers",
            "/api/../customers",
            "/api/customers/..",
            "/api/customers/.",
            "/api/customers.",
            "/api./customers",
            "/api/customers;a=b",
            "/api;/customers",
            "/api\\customers",
            "/api/%2e/customers",
            "/api/%2E%2E/customers",
            "/%61pi/customers",
            "/api%2fcustomers",
            "/api%2Fcustomers",
            "/api/customers%00",
            "/api/customers%0a",
            "/api/customers%3b",
            "/api/customers%5c",
            "/api/customers%",
            "/api/customers%2",
            "/api/customers%zz",
            "/api/%252e",
            "/api/cust\u{f6}mers",
            "/api/%ff",
            "/api/%C3",
            "/api/customers%7f",
            "/api/cust omers",
            "/api/...",
            "/api/customers%2e",
            "/api/customers%2E",
            "/..%2fapi",
            "/api/customers/%2e%2e%2f",
            "/api/%5f",
        ] {
            assert!(!is_canonical(path), "{path}");
        }
    }

    #[test]
    fn recognizes_api_paths_in_any_case() {
        for path in ["/api", "/api/", "/api/x", "/API/x", "/Api"] {
            assert!(is_api(path), "{path}");
        }
        for path in ["/", "/apis", "/apix/y", "/a/api", "/dashboard"] {
            assert!(!is_api(path), "{path}");
        }
    }
}
