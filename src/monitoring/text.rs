//! Sizes and lengths of time in sentences for the operator.

/// Units of time in seconds, longest first.
const TIME_UNITS: [(u64, &str); 4] = [(86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second")];

/// Units of size in bytes, largest first.
const SIZE_UNITS: [(u64, &str); 4] =
    [(1_000_000_000_000, "TB"), (1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")];

/// Returns a number with its noun: `1 email`, `2 emails`.
pub fn counted(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Returns a length of time in its largest unit, rounded down: `3 hours`.
pub fn duration(seconds: u64) -> String {
    let (length, name) = TIME_UNITS.into_iter().find(|(length, _)| seconds >= *length).unwrap_or((1, "second"));
    counted(seconds / length, name)
}

/// Returns a size in its largest unit: `1.5 GB`.
pub fn size(bytes: u64) -> String {
    match SIZE_UNITS.into_iter().find(|(unit, _)| bytes >= *unit) {
        Some((unit, name)) => format!("{}.{} {name}", bytes / unit, bytes % unit * 10 / unit),
        None => format!("{bytes} B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_durations_have_their_largest_unit() {
        assert_eq!(
            [0, 1, 59, 60, 7_200, 90_000].map(duration),
            ["0 seconds", "1 second", "59 seconds", "1 minute", "2 hours", "1 day"]
        );
        assert_eq!([0, 999, 1_000, 1_550_000, 2_000_000_000].map(size), ["0 B", "999 B", "1.0 kB", "1.5 MB", "2.0 GB"]);
    }
}
