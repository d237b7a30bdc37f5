//! Where the heads of HTTP/1 requests are in what a client sends, to find lines in them that end without a carriage return.
//! hyper accepts such lines (RFC 9112 §2.2 allows it), but a proxy in front may see another request in them. Bodies are
//! followed by their length or their chunks (RFC 9112 §6.3), since a client may send the next head at once behind one.

use memchr::memchr;

/// Bytes of a line that are kept, to read the fields that say how long a body is.
const KEPT_BYTES: usize = 128;
/// The first line of HTTP/2: no head of HTTP/1 follows.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r";

/// Parser state of the requests of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Framing {
    place: Place,
    /// The beginning of the current line, without its line feed.
    line: Vec<u8>,
    /// Whether the current line is longer than what is kept of it.
    is_cut: bool,
    /// The last byte of the current line.
    last: u8,
    body: BodyLength,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Before a head: only empty lines so far.
    Before,
    /// In a head, after its first byte.
    Head,
    /// In the bytes of a body or of a chunk with its line end: the number of those that are left.
    Bytes { left: u64, then: Then },
    /// In the line with the size of a chunk.
    Size,
    /// In the lines after the last chunk.
    Trailers,
    /// No longer HTTP/1.
    Opaque,
}

/// What comes after bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    Head,
    Chunk,
}

/// How long the body after a head is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BodyLength {
    Bytes(u64),
    Chunks,
}

impl Default for Framing {
    fn default() -> Self {
        Self { place: Place::Before, line: Vec::new(), is_cut: false, last: 0, body: BodyLength::Bytes(0) }
    }
}

impl Framing {
    /// Parses further bytes. Returns the place of the first that ends a line of a head without a carriage return, or a line
    /// that cannot be followed; the connection must not go on then.
    pub fn parse(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            match self.place {
                Place::Opaque => return None,
                Place::Bytes { left, then } => {
                    let taken = usize::try_from(left).map_or(rest.len(), |left| left.min(rest.len()));
                    let left = left - taken as u64;
                    let next = if then == Then::Head { Place::Before } else { Place::Size };
                    self.place = if left == 0 { next } else { Place::Bytes { left, then } };
                    at += taken;
                }
                Place::Before if matches!(rest[0], b'\r' | b'\n') => at += 1,
                Place::Before => self.place = Place::Head,
                Place::Head | Place::Size | Place::Trailers => {
                    let end = memchr(b'\n', rest);
                    let part = &rest[..end.unwrap_or(rest.len())];
                    self.keep(part);
                    at += part.len();
                    if end.is_some() {
                        if !self.end_line() {
                            return Some(at);
                        }
                        at += 1;
                    }
                }
            }
        }
        None
    }

    /// Keeps a part of the current line.
    fn keep(&mut self, part: &[u8]) {
        let room = KEPT_BYTES.saturating_sub(self.line.len());
        self.line.extend_from_slice(&part[..room.min(part.len())]);
        self.is_cut |= part.len() > room;
        self.last = part.last().copied().unwrap_or(self.last);
    }

    /// Ends the current line. Returns whether the connection may go on.
    fn end_line(&mut self) -> bool {
        let line = std::mem::take(&mut self.line);
        let is_cut = std::mem::take(&mut self.is_cut);
        let is_empty = line == b"\r";
        let is_good = match self.place {
            Place::Head if line == PREFACE => {
                self.place = Place::Opaque;
                true
            }
            Place::Head if is_empty => {
                self.place = match std::mem::replace(&mut self.body, BodyLength::Bytes(0)) {
                    BodyLength::Bytes(0) => Place::Before,
                    BodyLength::Bytes(left) => Place::Bytes { left, then: Then::Head },
                    BodyLength::Chunks => Place::Size,
                };
                true
            }
            Place::Head => self.last == b'\r' && self.note_field(&line, is_cut),
            Place::Size => self.begin_chunk(&line),
            Place::Trailers => {
                if is_empty {
                    self.place = Place::Before;
                }
                self.last == b'\r'
            }
            Place::Before | Place::Bytes { .. } | Place::Opaque => true,
        };
        self.last = 0;
        is_good
    }

    /// Notes the length of the body if a field says it. Returns whether the field can be followed.
    fn note_field(&mut self, line: &[u8], is_cut: bool) -> bool {
        let Some((name, value)) = memchr(b':', line).map(|at| (&line[..at], line[at + 1..].trim_ascii())) else {
            return true;
        };
        if name.eq_ignore_ascii_case(b"transfer-encoding") {
            let is_last = value.len() >= 7 && value[value.len() - 7..].eq_ignore_ascii_case(b"chunked");
            if is_last {
                self.body = BodyLength::Chunks;
            }
            return !is_cut;
        }
        if name.eq_ignore_ascii_case(b"content-length") {
            // Chunks win, as in hyper. What is no number is refused by it.
            if let (BodyLength::Bytes(_), Some(length)) = (self.body, number(value, 10)) {
                self.body = BodyLength::Bytes(length);
            }
            return !is_cut;
        }
        true
    }

    /// Begins the chunk whose size a line says. Returns whether it does.
    fn begin_chunk(&mut self, line: &[u8]) -> bool {
        let digits = line.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        let Some(size) = number(&line[..digits], 16) else { return false };
        self.place = match size {
            0 => Place::Trailers,
            size => Place::Bytes { left: size.saturating_add(2), then: Then::Chunk },
        };
        self.last == b'\r'
    }
}

fn number(digits: &[u8], radix: u32) -> Option<u64> {
    std::str::from_utf8(digits).ok().and_then(|digits| u64::from_str_radix(digits, radix).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Requests that are followed to their end, and what may come behind each.
    const WHOLE: &[&str] = &[
        "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "\r\n\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "POST / HTTP/1.1\r\ncontent-LENGTH:  5 \r\n\r\na\nb\n\n",
        "POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\n\n\n\n\r\nA\r\n0123\n56789\r\n0\r\nX: y\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: gzip, Chunked\r\n\r\n1\r\n\n\r\n0\r\n\r\n",
    ];
    /// Heads with a line that ends without a carriage return, and where.
    const FAULTY: &[(&str, usize)] = &[
        ("GET / HTTP/1.1\nHost: a\n\n", 14),
        ("GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n", 23),
        ("GET / HTTP/1.1\r\nHost: a\r\n\n", 25),
    ];

    #[test]
    fn faulty_heads_are_found_wherever_they_stand_and_however_they_arrive() {
        for first in WHOLE {
            for second in WHOLE {
                for (faulty, place) in FAULTY {
                    let sent = format!("{first}{second}{faulty}");
                    let expected = first.len() + second.len() + place;
                    for size in [1, 2, 3, 7, 1_000] {
                        let mut framing = Framing::default();
                        let mut at = 0;
                        let found = sent.as_bytes().chunks(size).find_map(|piece| {
                            let found = framing.parse(piece).map(|place| at + place);
                            at += piece.len();
                            found
                        });
                        assert_eq!(found, Some(expected), "{sent:?} in pieces of {size}");
                    }
                }
                let mut framing = Framing::default();
                assert_eq!(framing.parse(format!("{first}{second}").as_bytes()), None);
                assert_eq!(framing.place, Place::Before, "{first:?} {second:?}");
            }
        }
    }

    #[test]
    fn long_lines_are_followed_but_for_those_that_say_how_long_a_body_is() {
        let long = "x".repeat(10_000);
        let mut framing = Framing::default();
        assert_eq!(framing.parse(format!("GET /{long} HTTP/1.1\r\nX: {long}\r\n\r\n").as_bytes()), None);
        assert_eq!(framing, Framing::default());
        for name in ["Content-Length", "transfer-encoding"] {
            let mut framing = Framing::default();
            let hidden = format!("GET / HTTP/1.1\r\n{name}:{}5\r\n", " ".repeat(KEPT_BYTES));
            assert_eq!(framing.parse(hidden.as_bytes()), Some(hidden.len() - 1));
        }
    }

    #[test]
    fn http_2_is_left_alone() {
        let mut framing = Framing::default();
        assert_eq!(framing.parse(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\n\n\x0a\n"), None);
        assert_eq!(framing.place, Place::Opaque);
    }
}
