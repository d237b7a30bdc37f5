//! Character encodings of text files: detection, and buffered reading with offsets in the file.

use std::{
    borrow::Cow,
    io::{self, Read},
    sync::LazyLock,
};

use chardetng::EncodingDetector;
use encoding_rs::{
    BIG5, CoderResult, Decoder, EUC_JP, EUC_KR, Encoding, GBK, IBM866, ISO_8859_2, ISO_8859_5, ISO_8859_7, ISO_8859_15,
    KOI8_U, MACINTOSH, SHIFT_JIS, UTF_16BE, UTF_16LE, WINDOWS_874, WINDOWS_1250, WINDOWS_1251, WINDOWS_1252,
    WINDOWS_1253, WINDOWS_1254, WINDOWS_1255, WINDOWS_1256, WINDOWS_1257, WINDOWS_1258,
};
use poem_openapi::Enum;
use serde::{Deserialize, Serialize};

use super::{BinaryFormat, FormatError};

const UTF8_BOM: &[u8] = b"\xEF\xBB\xBF";
const UTF16_LE_BOM: &[u8] = b"\xFF\xFE";
const UTF16_BE_BOM: &[u8] = b"\xFE\xFF";

/// Bytes that are read at once.
const CHUNK: usize = 64 * 1024;

/// Maximum bytes of lines beyond ASCII from which an encoding is guessed.
const MAX_SAMPLE: usize = 64 * 1024;
/// Valid characters beyond ASCII of UTF-8 for each invalid byte, at least, where some lines are in another encoding.
const VALID_PER_INVALID: u64 = 3;
/// Characters beyond ASCII with which a text is in Windows-1252 without more evidence: they are letters of Spanish and
/// German, or have the same bytes in other encodings of Windows.
const WESTERN: &str = "áéíóúüñçäößÁÉÍÓÚÜÑÇÄÖ¿¡ªº€‘’“”–—…´«»·°\u{a0}";

/// The characters of code page 850 from 0x80 on.
const CP850_UPPER: &str = "\
    ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒ\
    áíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐\
    └┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀\
    ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{ad}±‗¾¶§÷¸°¨·¹³²■\u{a0}";
/// The characters of code page 850.
static CP850: LazyLock<Vec<char>> = LazyLock::new(|| (0..0x80_u8).map(char::from).chain(CP850_UPPER.chars()).collect());

/// A character encoding of text files, by its label in the WHATWG Encoding Standard if it has one there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Enum)]
pub enum TextEncoding {
    /// UTF-8, with or without a byte order mark. Text that is not valid UTF-8 is read as Windows-1252.
    #[oai(rename = "utf-8")]
    #[serde(rename = "utf-8")]
    Utf8,
    /// Windows-1252, the usual encoding of Excel in Western Europe and America. Includes Latin-1.
    #[oai(rename = "windows-1252")]
    #[serde(rename = "windows-1252")]
    Windows1252,
    /// Windows-1250, of Central Europe.
    #[oai(rename = "windows-1250")]
    #[serde(rename = "windows-1250")]
    Windows1250,
    /// Windows-1251, Cyrillic.
    #[oai(rename = "windows-1251")]
    #[serde(rename = "windows-1251")]
    Windows1251,
    /// Windows-1253, Greek.
    #[oai(rename = "windows-1253")]
    #[serde(rename = "windows-1253")]
    Windows1253,
    /// Windows-1254, Turkish.
    #[oai(rename = "windows-1254")]
    #[serde(rename = "windows-1254")]
    Windows1254,
    /// Windows-1255, Hebrew.
    #[oai(rename = "windows-1255")]
    #[serde(rename = "windows-1255")]
    Windows1255,
    /// Windows-1256, Arabic.
    #[oai(rename = "windows-1256")]
    #[serde(rename = "windows-1256")]
    Windows1256,
    /// Windows-1257, Baltic.
    #[oai(rename = "windows-1257")]
    #[serde(rename = "windows-1257")]
    Windows1257,
    /// Windows-1258, Vietnamese.
    #[oai(rename = "windows-1258")]
    #[serde(rename = "windows-1258")]
    Windows1258,
    /// Windows-874, Thai.
    #[oai(rename = "windows-874")]
    #[serde(rename = "windows-874")]
    Windows874,
    /// ISO 8859-2, of Central Europe.
    #[oai(rename = "iso-8859-2")]
    #[serde(rename = "iso-8859-2")]
    Iso8859_2,
    /// ISO 8859-5, Cyrillic.
    #[oai(rename = "iso-8859-5")]
    #[serde(rename = "iso-8859-5")]
    Iso8859_5,
    /// ISO 8859-7, Greek.
    #[oai(rename = "iso-8859-7")]
    #[serde(rename = "iso-8859-7")]
    Iso8859_7,
    /// ISO 8859-15, of Western Europe. Is not detected: it differs from Windows-1252 in eight rare characters.
    #[oai(rename = "iso-8859-15")]
    #[serde(rename = "iso-8859-15")]
    Iso8859_15,
    /// KOI8-U, Cyrillic. Includes the letters of KOI8-R.
    #[oai(rename = "koi8-u")]
    #[serde(rename = "koi8-u")]
    Koi8U,
    /// Code page 866, Cyrillic, as programs for DOS write.
    #[oai(rename = "ibm866")]
    #[serde(rename = "ibm866")]
    Ibm866,
    /// Shift JIS, Japanese.
    #[oai(rename = "shift_jis")]
    #[serde(rename = "shift_jis")]
    ShiftJis,
    /// EUC-JP, Japanese.
    #[oai(rename = "euc-jp")]
    #[serde(rename = "euc-jp")]
    EucJp,
    /// GB 18030, Chinese. Includes GBK and GB 2312, and is read like GBK.
    #[oai(rename = "gb18030")]
    #[serde(rename = "gb18030")]
    Gb18030,
    /// Big5, Chinese.
    #[oai(rename = "big5")]
    #[serde(rename = "big5")]
    Big5,
    /// EUC-KR, Korean.
    #[oai(rename = "euc-kr")]
    #[serde(rename = "euc-kr")]
    EucKr,
    /// Mac Roman, as old programs for the Mac write. Is not detected: all its bytes are letters of Windows-1252.
    #[oai(rename = "macintosh")]
    #[serde(rename = "macintosh")]
    Macintosh,
    /// Code page 850, as programs for DOS write in Western Europe. Is not detected, for the same reason.
    #[oai(rename = "cp850")]
    #[serde(rename = "cp850")]
    Cp850,
    /// UTF-16, little-endian, with or without a byte order mark.
    #[oai(rename = "utf-16le")]
    #[serde(rename = "utf-16le")]
    Utf16Le,
    /// UTF-16, big-endian, with or without a byte order mark.
    #[oai(rename = "utf-16be")]
    #[serde(rename = "utf-16be")]
    Utf16Be,
}

impl TextEncoding {
    /// Returns the byte order mark that a file in this encoding may start with.
    fn bom(self) -> &'static [u8] {
        match self {
            Self::Utf8 => UTF8_BOM,
            Self::Utf16Le => UTF16_LE_BOM,
            Self::Utf16Be => UTF16_BE_BOM,
            _ => b"",
        }
    }

    /// Returns the encoding of a file that is not in Unicode, by which its parts are decoded one by one: delimiters but the
    /// vertical bar, quotation marks and line ends are no part of longer characters.
    fn legacy(self) -> Option<&'static Encoding> {
        Some(match self {
            Self::Utf8 | Self::Utf16Le | Self::Utf16Be | Self::Cp850 => return None,
            Self::Windows1252 => WINDOWS_1252,
            Self::Macintosh => MACINTOSH,
            Self::Windows1250 => WINDOWS_1250,
            Self::Windows1251 => WINDOWS_1251,
            Self::Windows1253 => WINDOWS_1253,
            Self::Windows1254 => WINDOWS_1254,
            Self::Windows1255 => WINDOWS_1255,
            Self::Windows1256 => WINDOWS_1256,
            Self::Windows1257 => WINDOWS_1257,
            Self::Windows1258 => WINDOWS_1258,
            Self::Windows874 => WINDOWS_874,
            Self::Iso8859_2 => ISO_8859_2,
            Self::Iso8859_5 => ISO_8859_5,
            Self::Iso8859_7 => ISO_8859_7,
            Self::Iso8859_15 => ISO_8859_15,
            Self::Koi8U => KOI8_U,
            Self::Ibm866 => IBM866,
            Self::ShiftJis => SHIFT_JIS,
            Self::EucJp => EUC_JP,
            Self::Gb18030 => GBK,
            Self::Big5 => BIG5,
            Self::EucKr => EUC_KR,
        })
    }

    /// Returns a decoder to UTF-8 for encodings that are not compatible with ASCII.
    fn decoder(self) -> Option<Decoder> {
        match self {
            Self::Utf16Le => Some(UTF_16LE.new_decoder_without_bom_handling()),
            Self::Utf16Be => Some(UTF_16BE.new_decoder_without_bom_handling()),
            _ => None,
        }
    }

    /// Decodes text that a [`TextInput`] of this encoding returned.
    pub(super) fn decode(self, bytes: &[u8]) -> Cow<'_, str> {
        if self == Self::Cp850 {
            return bytes.iter().filter_map(|byte| CP850.get(usize::from(*byte)).copied()).collect();
        }
        match (self.legacy(), std::str::from_utf8(bytes)) {
            (Some(encoding), _) => encoding.decode_without_bom_handling(bytes).0,
            (None, Err(_)) => WINDOWS_1252.decode_without_bom_handling(bytes).0,
            (None, Ok(text)) => Cow::Borrowed(text),
        }
    }

    /// Whether a part of a file of this encoding is in another one, as which it is decoded.
    pub(super) fn is_contradicted_by(self, bytes: &[u8]) -> bool {
        self == Self::Utf8 && std::str::from_utf8(bytes).is_err()
    }
}

/// The encoding of a file, and its beginning.
#[derive(Debug)]
pub struct DetectedText {
    /// The encoding.
    pub encoding: TextEncoding,
    /// The first bytes of the file.
    pub head: Vec<u8>,
    /// Whether `head` is the whole file.
    pub is_whole: bool,
}

/// Detects the encoding of a text file, and returns its first `head_bytes` bytes. Reads the whole file, in constant
/// memory, because the first accented letter can be far from the start.
///
/// UTF-16 is recognized by its byte order mark, or by the places of its zero bytes. Other text is UTF-8 if it has at least
/// three times as many characters beyond ASCII in valid UTF-8 as invalid bytes; else its encoding is guessed. Fails with
/// [`FormatError::Empty`] and [`FormatError::Binary`].
pub fn detect_encoding(mut reader: impl Read, head_bytes: usize) -> Result<DetectedText, FormatError> {
    let mut head = Vec::new();
    read_up_to(&mut reader, head_bytes.max(CHUNK), &mut head)?;
    let is_whole = head.len() < head_bytes.max(CHUNK);
    if let Some(format) = binary_format(&head) {
        return Err(FormatError::Binary(format));
    }
    let encoding = if head.starts_with(UTF16_LE_BOM) {
        TextEncoding::Utf16Le
    } else if head.starts_with(UTF16_BE_BOM) {
        TextEncoding::Utf16Be
    } else if let Some(utf16) = detect_utf16(&head) {
        utf16
    } else {
        detect_utf8_or_legacy(&head, reader)?
    };
    if head.is_empty() || head == encoding.bom() {
        return Err(FormatError::Empty);
    }
    let is_whole = is_whole && head.len() <= head_bytes;
    head.truncate(head_bytes);
    Ok(DetectedText { encoding, head, is_whole })
}

/// Recognizes UTF-16 without a byte order mark: zero bytes stand at even places, or at odd ones, a quarter of the units or
/// more have one (separators, digits and line ends do in every language), and no unit is a control character. A few
/// characters, such as U+4E00 and a half of some emoji, have a zero byte at the other place.
fn detect_utf16(head: &[u8]) -> Option<TextEncoding> {
    memchr::memchr(0, head)?;
    let (units, _) = head.as_chunks::<2>();
    let even = units.iter().filter(|unit| unit[0] == 0).count();
    let odd = units.iter().filter(|unit| unit[1] == 0).count();
    let (encoding, read, zeros): (_, fn([u8; 2]) -> u16, _) = if odd > 0 && even * 8 <= odd {
        (TextEncoding::Utf16Le, u16::from_le_bytes, odd)
    } else if even > 0 && odd * 8 <= even {
        (TextEncoding::Utf16Be, u16::from_be_bytes, even)
    } else {
        return None;
    };
    let is_text = |unit: u16| !matches!(unit, 0..=8 | 0xB | 0xC | 0xE..=0x1F | 0xFFFE | 0xFFFF);
    let is_line_end = |unit: u16| matches!(unit, 0xA | 0xD);
    let are_text = units.iter().all(|unit| is_text(read(*unit)));
    // Of a text without a line end, all must be letters of Western languages.
    let is_sure =
        zeros == units.len() || (zeros * 4 >= units.len() && units.iter().any(|unit| is_line_end(read(*unit))));
    (are_text && is_sure).then_some(encoding)
}

/// Tells UTF-8 from encodings that are not Unicode.
fn detect_utf8_or_legacy(head: &[u8], mut reader: impl Read) -> Result<TextEncoding, FormatError> {
    let mut counter = Utf8Counter::default();
    let mut sample = LineSample::default();
    counter.push(head)?;
    sample.push(head, true);
    let mut chunk = Vec::with_capacity(CHUNK);
    loop {
        chunk.clear();
        read_up_to(&mut reader, CHUNK, &mut chunk)?;
        if chunk.is_empty() {
            break;
        }
        counter.push(&chunk)?;
        sample.push(&chunk, false);
    }
    // A character that is cut by the end of the file.
    counter.invalid += u64::from(!counter.rest.is_empty());
    let is_utf8 = counter.valid >= counter.invalid.saturating_mul(VALID_PER_INVALID);
    Ok(if is_utf8 { TextEncoding::Utf8 } else { sample.guess() })
}

/// Lines beyond ASCII of a file, from which its encoding is guessed.
#[derive(Default)]
struct LineSample {
    /// Whole lines.
    lines: Vec<u8>,
    /// A part of the file beyond ASCII, for a file without such lines.
    part: Vec<u8>,
}

impl LineSample {
    /// Looks at the next part of the file. A line that is cut may be cut within a character, so it does not count.
    fn push(&mut self, chunk: &[u8], is_first: bool) {
        let Some(first) = chunk.iter().position(|byte| !byte.is_ascii()) else { return };
        if self.part.is_empty() {
            let part = chunk.get(first.saturating_sub(MAX_SAMPLE / 2)..).unwrap_or_default();
            self.part.extend(part.iter().take(MAX_SAMPLE));
        }
        let start = if is_first { 0 } else { memchr::memchr(b'\n', chunk).map_or(chunk.len(), |at| at + 1) };
        for line in chunk.get(start..).unwrap_or_default().split_inclusive(|byte| *byte == b'\n') {
            let room = MAX_SAMPLE.saturating_sub(self.lines.len());
            if line.ends_with(b"\n") && !line.is_ascii() && line.len() <= room {
                self.lines.extend_from_slice(line);
            }
        }
    }

    fn guess(&self) -> TextEncoding {
        let sample = if self.lines.is_empty() { &self.part } else { &self.lines };
        let western = WINDOWS_1252.decode_without_bom_handling(sample).0;
        if western.chars().all(|c| c.is_ascii() || WESTERN.contains(c)) {
            return TextEncoding::Windows1252;
        }
        let mut detector = EncodingDetector::new();
        detector.feed(sample, false);
        let found = detector.guess(None, false);
        let is_found = |known: &TextEncoding| known.legacy() == Some(found);
        GUESSED.into_iter().find(is_found).unwrap_or(TextEncoding::Windows1252)
    }
}

/// The encodings that are guessed.
const GUESSED: [TextEncoding; 19] = [
    TextEncoding::Windows1250,
    TextEncoding::Windows1251,
    TextEncoding::Windows1253,
    TextEncoding::Windows1254,
    TextEncoding::Windows1255,
    TextEncoding::Windows1256,
    TextEncoding::Windows1257,
    TextEncoding::Windows1258,
    TextEncoding::Windows874,
    TextEncoding::Iso8859_2,
    TextEncoding::Iso8859_5,
    TextEncoding::Iso8859_7,
    TextEncoding::Koi8U,
    TextEncoding::Ibm866,
    TextEncoding::ShiftJis,
    TextEncoding::EucJp,
    TextEncoding::Gb18030,
    TextEncoding::Big5,
    TextEncoding::EucKr,
];

/// Counts valid and invalid UTF-8 in a stream.
#[derive(Default)]
struct Utf8Counter {
    /// Characters beyond ASCII.
    valid: u64,
    /// Invalid sequences.
    invalid: u64,
    /// An incomplete sequence at the end of the last chunk, up to 3 bytes.
    rest: Vec<u8>,
}

impl Utf8Counter {
    fn push(&mut self, chunk: &[u8]) -> Result<(), FormatError> {
        if memchr::memchr(0, chunk).is_some() {
            return Err(FormatError::Binary(BinaryFormat::Other));
        }
        let joined = [self.rest.as_slice(), chunk].concat();
        self.rest.clear();
        let mut bytes = joined.as_slice();
        while !bytes.is_empty() {
            let error = match std::str::from_utf8(bytes) {
                Ok(text) => {
                    self.valid += count_beyond_ascii(text.as_bytes());
                    break;
                }
                Err(error) => error,
            };
            self.valid += count_beyond_ascii(&bytes[..error.valid_up_to()]);
            let Some(length) = error.error_len() else {
                self.rest.extend_from_slice(&bytes[error.valid_up_to()..]);
                break;
            };
            self.invalid += 1;
            bytes = &bytes[error.valid_up_to() + length..];
        }
        Ok(())
    }
}

/// Counts the characters beyond ASCII of a text in UTF-8: each starts with one byte from 0xC0 on.
fn count_beyond_ascii(text: &[u8]) -> u64 {
    u64::try_from(text.iter().filter(|byte| **byte >= 0xC0).count()).unwrap_or(u64::MAX)
}

/// Returns the format of a file that is not text, by its signature.
fn binary_format(head: &[u8]) -> Option<BinaryFormat> {
    let is_workbook = |part: &[u8]| memchr::memmem::find(head, part).is_some();
    match head {
        [b'P', b'K', 3, 4, ..] if is_workbook(b"xl/") || is_workbook(b"opendocument.spreadsheet") => {
            Some(BinaryFormat::Spreadsheet)
        }
        [b'P', b'K', 3..=8, ..] | [0x1F, 0x8B, ..] => Some(BinaryFormat::Archive),
        [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1, ..] => Some(BinaryFormat::Spreadsheet),
        [b'%', b'P', b'D', b'F', b'-', ..] => Some(BinaryFormat::Pdf),
        [0x89, b'P', b'N', b'G', ..] | [0xFF, 0xD8, 0xFF, ..] | [b'G', b'I', b'F', b'8', ..] => {
            Some(BinaryFormat::Image)
        }
        _ => None,
    }
}

/// Appends up to `most` bytes to `buffer`; fewer only at the end of the file.
fn read_up_to(reader: &mut impl Read, most: usize, buffer: &mut Vec<u8>) -> Result<(), FormatError> {
    // Read::read_to_end retries interrupted reads.
    let limit = u64::try_from(most).unwrap_or(u64::MAX);
    reader.take(limit).read_to_end(buffer)?;
    Ok(())
}

/// A buffered reader of the bytes of a text file. UTF-16 is converted to UTF-8, so that all bytes are compatible with
/// ASCII. Knows the offset in the file of the next byte.
pub(super) struct TextInput<R> {
    reader: R,
    encoding: TextEncoding,
    decoder: Option<Decoder>,
    buffer: Vec<u8>,
    /// The first byte of `buffer` that is not consumed.
    start: usize,
    offset: u64,
    is_ended: bool,
}

impl<R: Read> TextInput<R> {
    /// Creates a source for a reader that stands at `offset` of the file. At offset 0 it skips the byte order mark.
    pub fn new(reader: R, encoding: TextEncoding, offset: u64) -> Result<Self, FormatError> {
        let decoder = encoding.decoder();
        let mut source = Self { reader, encoding, decoder, buffer: Vec::new(), start: 0, offset, is_ended: false };
        if offset == 0 {
            let raw = source.read_raw()?;
            let bom = encoding.bom();
            let text = raw.strip_prefix(bom).unwrap_or(&raw);
            source.offset = u64::try_from(raw.len() - text.len()).unwrap_or_default();
            source.append(text);
        }
        Ok(source)
    }

    /// Returns the offset in the file of the next byte. Between characters only.
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the encoding of the file.
    pub const fn encoding(&self) -> TextEncoding {
        self.encoding
    }

    /// Returns the next bytes; none at the end of the file.
    pub fn fill(&mut self) -> Result<&[u8], FormatError> {
        while self.start == self.buffer.len() && !self.is_ended {
            let raw = self.read_raw()?;
            self.buffer.clear();
            self.start = 0;
            self.append(&raw);
        }
        Ok(&self.buffer[self.start..])
    }

    /// Returns the next byte.
    pub fn peek(&mut self) -> Result<Option<u8>, FormatError> {
        if let Some(byte) = self.buffer.get(self.start) {
            return Ok(Some(*byte));
        }
        Ok(self.fill()?.first().copied())
    }

    /// Consumes bytes for which `is_skipped` holds, at most `max`, if the byte behind them is `next`.
    pub fn skip_before(&mut self, next: u8, max: usize, is_skipped: impl Fn(u8) -> bool) -> Result<(), FormatError> {
        let mut count = 0;
        while let Some(byte) = self.peek_at(count)? {
            if byte == next {
                self.consume(count);
                return Ok(());
            }
            if count == max || !is_skipped(byte) {
                return Ok(());
            }
            count += 1;
        }
        Ok(())
    }

    /// Returns the byte behind the next `count` ones.
    fn peek_at(&mut self, count: usize) -> Result<Option<u8>, FormatError> {
        while self.start + count >= self.buffer.len() && !self.is_ended {
            let raw = self.read_raw()?;
            self.buffer.drain(..self.start);
            self.start = 0;
            self.append(&raw);
        }
        Ok(self.buffer.get(self.start + count).copied())
    }

    /// Marks the next `count` bytes as read.
    pub fn consume(&mut self, count: usize) {
        let end = (self.start + count).min(self.buffer.len());
        self.offset += self.length_in_file(&self.buffer[self.start..end]);
        self.start = end;
    }

    /// Returns the number of bytes that whole characters have in the file.
    pub fn length_in_file(&self, text: &[u8]) -> u64 {
        let length = match self.encoding {
            // Each character of UTF-8 starts with one byte that does not continue another; those beyond U+FFFF have two
            // units of UTF-16. A lone surrogate becomes U+FFFD, which has one unit as well.
            TextEncoding::Utf16Le | TextEncoding::Utf16Be => {
                let characters = text.iter().filter(|byte| **byte & 0xC0 != 0x80).count();
                let pairs = text.iter().filter(|byte| **byte >= 0xF0).count();
                2 * (characters + pairs)
            }
            _ => text.len(),
        };
        u64::try_from(length).unwrap_or_default()
    }

    /// Consumes one line end (CR, LF or CRLF), if it is next.
    pub fn skip_line_end(&mut self) -> Result<bool, FormatError> {
        match self.peek()? {
            Some(b'\r') => {
                self.consume(1);
                if self.peek()? == Some(b'\n') {
                    self.consume(1);
                }
                Ok(true)
            }
            Some(b'\n') => {
                self.consume(1);
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    fn read_raw(&mut self) -> Result<Vec<u8>, FormatError> {
        let mut raw = Vec::with_capacity(CHUNK);
        read_up_to(&mut self.reader, CHUNK, &mut raw)?;
        self.is_ended = raw.len() < CHUNK;
        Ok(raw)
    }

    /// Appends bytes of the file to the buffer.
    fn append(&mut self, mut raw: &[u8]) {
        let Some(decoder) = self.decoder.as_mut() else {
            self.buffer.extend_from_slice(raw);
            return;
        };
        let mut text = String::with_capacity(raw.len() * 3 / 2 + 16);
        loop {
            let (result, read, _) = decoder.decode_to_string(raw, &mut text, self.is_ended);
            raw = &raw[read..];
            if result == CoderResult::InputEmpty {
                break;
            }
            text.reserve(raw.len() * 3 / 2 + 16);
        }
        self.buffer.extend_from_slice(text.as_bytes());
    }
}

impl From<io::Error> for FormatError {
    fn from(error: io::Error) -> Self {
        Self::Read(error.kind())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detect(bytes: &[u8]) -> Result<TextEncoding, FormatError> {
        detect_encoding(bytes, 1_000).map(|text| text.encoding)
    }

    fn utf16(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(unit).collect()
    }

    #[test]
    fn detects_encodings() {
        assert_eq!(detect("Ana,Peña".as_bytes()), Ok(TextEncoding::Utf8));
        assert_eq!(detect("\u{feff}Ana".as_bytes()), Ok(TextEncoding::Utf8));
        assert_eq!(detect(b"Ana,Pe\xF1a"), Ok(TextEncoding::Windows1252));
        assert_eq!(detect(&utf16("\u{feff}Ana", u16::to_le_bytes)), Ok(TextEncoding::Utf16Le));
        assert_eq!(detect(&utf16("\u{feff}Ana", u16::to_be_bytes)), Ok(TextEncoding::Utf16Be));
    }

    // The kind of fault: a text in a known encoding is refused as no text.
    #[test]
    fn detects_utf16_without_a_byte_order_mark() {
        for text in [
            "Ana",
            "Name;City\r\nJosé;Málaga\r\n",
            "Όνομα;Πόλη;1\r\nΆννα;Αθήνα;28013\r\n",
            "Имя;Город;1;2\r\nАнна;Москва;1;28013\r\n",
            "a👩\u{200d}💻,b,c,d\n",
            "Name;Note\r\nAna;😀\r\nBea;一 Ā\r\n",
        ] {
            assert_eq!(detect(&utf16(text, u16::to_le_bytes)), Ok(TextEncoding::Utf16Le), "{text}");
            assert_eq!(detect(&utf16(text, u16::to_be_bytes)), Ok(TextEncoding::Utf16Be), "{text}");
        }
        // A file that ends within a character.
        let whole = utf16("Name\nAna", u16::to_le_bytes);
        assert_eq!(detect(&whole[..whole.len() - 1]), Ok(TextEncoding::Utf16Le));
        let binary: [&[u8]; 5] = [
            b"RIFF\0\0\0\0WAVE\n\0",
            b"a\0\0b\n\0",
            b"\x01\0\x02\0\x03\0\n\0",
            b"name\0value",
            b"long text with one zero\0and a line end\n",
        ];
        for binary in binary {
            assert_eq!(detect(binary), Err(FormatError::Binary(BinaryFormat::Other)), "{binary:?}");
        }
    }

    #[test]
    fn decodes_old_encodings_of_one_byte() {
        let text = |encoding: TextEncoding, bytes: &[u8]| encoding.decode(bytes).into_owned();
        assert_eq!(text(TextEncoding::Macintosh, b"Jos\x8E Pe\x96a, M\x87laga"), "José Peña, Málaga");
        assert_eq!(text(TextEncoding::Cp850, b"Jos\x82 Pe\xA4a, M\xA0laga"), "José Peña, Málaga");
        assert_eq!(text(TextEncoding::Cp850, b"\x80\xE1\xF0\xFF"), "Çß\u{ad}\u{a0}");
        assert_eq!(CP850.len(), 256);
    }

    // The kind of fault: a text in the usual encoding of another country becomes wrong letters without a word.
    #[test]
    fn guesses_encodings_that_are_not_unicode() {
        const POLISH: &str = "Imię i nazwisko;Miasto\nŁukasz Żółciński;Łódź\nMałgorzata Wiśniewska;Częstochowa\n\
            Święty Krzyż;Będzin\nZażółć gęślą jaźń;Świnoujście\nJan Brzęczyszczykiewicz;Chrząszczyżewoszyce\n";
        const RUSSIAN: &str = "Имя;Город\nАнна Иванова;Москва\nПётр Кузнецов;Санкт-Петербург\nОльга Смирнова;Новосибирск\n\
            Дмитрий Соколов;Нижний Новгород\nЕкатерина Попова;Екатеринбург\n";
        const TURKISH: &str = "Adı soyadı;Şehir\nAyşe Yılmaz;İstanbul\nMehmet Çağrı Öztürk;Eskişehir\nIşıl Güneş;İzmir\n\
            Oğuz Şahin;Diyarbakır\nGökçe Yıldırım;Ağrı\n";
        const JAPANESE: &str =
            "名前;住所\n山田太郎;東京都千代田区\nさとう はなこ;大阪府大阪市北区\nタナカ ケンイチ;北海道札幌市中央区\n";
        const CHINESE: &str =
            "姓名;城市\n王小明;北京市海淀区\n李伟;上海市浦东新区\n张丽华;广州市天河区\n欧阳修;成都市武侯区\n";
        const TRADITIONAL: &str =
            "姓名;城市\n陳怡君;臺北市信義區\n林志豪;高雄市左營區\n黃淑芬;臺中市西屯區\n張雅婷;新竹縣竹北市\n";
        const KOREAN: &str =
            "이름;도시\n김민준;서울특별시 강남구\n이서연;부산광역시 해운대구\n박지훈;대전광역시 유성구\n";
        for (text, written, label) in [
            (POLISH, WINDOWS_1250, "Windows-1250"),
            (POLISH, ISO_8859_2, "ISO 8859-2"),
            (RUSSIAN, WINDOWS_1251, "Windows-1251"),
            (TURKISH, WINDOWS_1254, "Windows-1254"),
            (JAPANESE, SHIFT_JIS, "Shift JIS"),
            (CHINESE, GBK, "GBK"),
            (TRADITIONAL, BIG5, "Big5"),
            (KOREAN, EUC_KR, "EUC-KR"),
        ] {
            let bytes = written.encode(text).0.into_owned();
            let found = detect(&bytes).unwrap();
            assert_eq!(found.decode(&bytes), text, "{label}");
            // Far from the start, and between lines of ASCII.
            let far = [b"a;b\n".repeat(100_000), bytes].concat();
            assert_eq!(detect(&far), Ok(found), "{label}");
        }
        for western in ["José;Málaga\n", "Jürgen Groß;Köln", "¿Qué?;3º B – 12 €\n", "Muñoz"] {
            assert_eq!(detect(&WINDOWS_1252.encode(western).0), Ok(TextEncoding::Windows1252), "{western}");
        }
    }

    // The kind of fault: one damaged line turns the letters of all others wrong.
    #[test]
    fn lines_in_another_encoding_change_no_others() {
        for file in [
            &b"Jos\xE9\nMu\xC3\xB1oz\nPe\xC3\xB1a\nN\xC3\xBA\xC3\xB1ez\n"[..],
            b"\xC3\x91\xC3\xB1\xC3\xA1\xC3\xA9,Jos\xE9",
            b"M\xE1laga \xE2\x82\xAC \xE2\x82\xAC \xE2\x82\xAC",
        ] {
            assert_eq!(detect(file), Ok(TextEncoding::Utf8), "{file:?}");
        }
        assert_eq!(detect(b"Jos\xE9"), Ok(TextEncoding::Windows1252), "the last character");
        assert_ne!(detect(b"Jos\xE9 Pe\xF1a, \xC3\xB1"), Ok(TextEncoding::Utf8), "most is not UTF-8");
        assert!(
            TextEncoding::Utf8.is_contradicted_by(b"Jos\xE9")
                && !TextEncoding::Utf8.is_contradicted_by("José".as_bytes())
        );
    }

    #[test]
    fn finds_an_accented_letter_after_megabytes_of_ascii() {
        let mut bytes = vec![b'a'; 3_000_000];
        bytes.extend_from_slice(b"Pe\xF1a");
        assert_eq!(detect(&bytes), Ok(TextEncoding::Windows1252));
        // A sequence that two chunks share.
        let mut bytes = vec![b'a'; 2 * CHUNK - 1];
        bytes.extend_from_slice("ñ".as_bytes());
        assert_eq!(detect(&bytes), Ok(TextEncoding::Utf8));
    }

    #[test]
    fn one_damaged_character_does_not_change_the_encoding_of_a_file() {
        assert_eq!(detect("Peña\nMuñoz\nPe\u{0}a".replace('\0', "").as_bytes()), Ok(TextEncoding::Utf8));
        let mut bytes = "Peña ".repeat(9).into_bytes();
        bytes.extend_from_slice(b"\n\xF1\n");
        bytes.extend_from_slice("Peña".as_bytes());
        assert_eq!(detect(&bytes), Ok(TextEncoding::Utf8));
        assert_eq!(TextEncoding::Utf8.decode(b"Pe\xF1a"), "Peña");
    }

    #[test]
    fn names_binary_and_empty_files() {
        use BinaryFormat::{Archive, Image, Other, Pdf, Spreadsheet};
        for (bytes, format) in [
            (b"PK\x03\x04....xl/workbook.xml".as_slice(), Spreadsheet),
            (b"PK\x03\x04....mimetypeapplication/vnd.oasis.opendocument.spreadsheet", Spreadsheet),
            (b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1....", Spreadsheet),
            (b"PK\x03\x04....word/document.xml", Archive),
            (b"%PDF-1.7", Pdf),
            (b"\x89PNG\r\n\x1a\n", Image),
            (b"name\0value", Other),
        ] {
            assert_eq!(detect(bytes), Err(FormatError::Binary(format)), "{bytes:?}");
        }
        assert_eq!(detect(b""), Err(FormatError::Empty));
        assert_eq!(detect(UTF8_BOM), Err(FormatError::Empty));
        assert_eq!(detect(UTF16_LE_BOM), Err(FormatError::Empty));
    }

    proptest::proptest! {
        #[test]
        fn offsets_of_utf16_are_those_of_the_file(units in proptest::collection::vec(proptest::num::u16::ANY, 0..40), cut in 0_usize..40) {
            let units: Vec<u16> = units.into_iter().map(|unit| if unit % 3 == 0 { 0xD800 | unit & 0x7FF } else { unit }).collect();
            let bytes: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
            let mut source = TextInput::new(bytes.as_slice(), TextEncoding::Utf16Le, 2).unwrap();
            let whole = std::str::from_utf8(source.fill().unwrap()).unwrap().to_owned();
            let at = whole.char_indices().nth(cut).map_or(whole.len(), |(at, _)| at);
            source.consume(at);
            let offset = usize::try_from(source.offset()).unwrap() - 2;
            let mut rest = TextInput::new(&bytes[offset.min(bytes.len())..], TextEncoding::Utf16Le, 2).unwrap();
            proptest::prop_assert_eq!(rest.fill().unwrap(), &whole.as_bytes()[at..]);
        }
    }
}
