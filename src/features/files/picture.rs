//! Decoding and re-encoding of pictures, so that served files contain nothing but pixels: no hidden script, no location
//! data, and no more pixels than a screen can show.

use std::{borrow::Cow, io::Cursor};

use image::{
    DynamicImage, ImageDecoder, ImageError, ImageFormat, ImageReader, Limits,
    codecs::{jpeg::JpegEncoder, webp::WebPEncoder},
    metadata::Orientation,
};

use crate::kernel::{Code, Error, Result};

/// Maximum side length in pixels.
const MAX_SIDE_PIXELS: u32 = 4_096;
/// Maximum number of pixels: 16 Mpx.
const MAX_PIXELS: u64 = 16 << 20;
/// Memory limit of decoding, in bytes.
const MAX_DECODE_BYTES: u64 = 160 << 20;
/// JPEG quality: high enough that the second encoding is not visible.
const JPEG_QUALITY: u8 = 90;
/// Number of leading bytes searched for an SVG tag.
pub(super) const SVG_SEARCH_BYTES: usize = 4_096;

/// The accepted picture formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Png,
    Jpeg,
    WebP,
}

impl Format {
    /// Detects the format from the first bytes.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
            Some(Self::Png)
        } else if bytes.starts_with(b"\xFF\xD8\xFF") {
            Some(Self::Jpeg)
        } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
            Some(Self::WebP)
        } else {
            None
        }
    }

    const fn image(self) -> ImageFormat {
        match self {
            Self::Png => ImageFormat::Png,
            Self::Jpeg => ImageFormat::Jpeg,
            Self::WebP => ImageFormat::WebP,
        }
    }
}

/// Whether the bytes are a picture that is always rejected, whatever its declared type: SVG, which can contain script,
/// or GIF, whose signature can also begin a script.
pub(super) fn is_drawing(bytes: &[u8]) -> bool {
    let beginning = bytes.get(..SVG_SEARCH_BYTES).unwrap_or(bytes).to_ascii_lowercase();
    beginning.starts_with(b"gif8") || beginning.windows(4).any(|window| window == b"<svg")
}

/// A re-encoded picture.
pub(super) struct Picture {
    pub bytes: Vec<u8>,
    pub kind: &'static str,
    /// Width and height in pixels, after rotation.
    pub size: (u32, u32),
}

fn picture_error(error: impl std::fmt::Display) -> Error {
    Error::field("file", "errors.fields.picture").with_detail(error)
}

fn too_many_pixels() -> Error {
    let params = vec![("max", MAX_SIDE_PIXELS.to_string())];
    Error::new(Code::Invalid).and_field("file", "errors.fields.picture_size", params)
}

fn decode_error(error: ImageError) -> Error {
    if matches!(error, ImageError::Limits(_)) { too_many_pixels() } else { picture_error(error) }
}

/// Chunks of a PNG that its pixels and its rotation need. All others are dropped before decoding: compressed ones, such as
/// colour profiles and texts, may become a thousand times as large.
const PNG_CHUNKS: [&[u8]; 6] = [b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND", b"eXIf"];

/// Returns a PNG with only the chunks that are decoded. Where it is malformed, the rest stays as it is.
fn without_metadata(png: &[u8]) -> Vec<u8> {
    let (signature, mut rest) = png.split_at_checked(8).unwrap_or((png, &[]));
    let mut kept = Vec::with_capacity(png.len());
    kept.extend_from_slice(signature);
    while let Some((length, after)) = rest.split_first_chunk::<4>() {
        // The length is that of the data: the type and the checksum have four bytes each.
        let end = usize::try_from(u32::from_be_bytes(*length)).ok().and_then(|length| length.checked_add(12));
        let Some((chunk, next)) = end.and_then(|end| rest.split_at_checked(end)) else { break };
        if after.get(..4).is_some_and(|kind| PNG_CHUNKS.contains(&kind)) {
            kept.extend_from_slice(chunk);
        }
        rest = next;
    }
    kept.extend_from_slice(rest);
    kept
}

/// Decodes a picture, rotates it upright and re-encodes it in the same format without metadata. Takes up to a second,
/// and 160 MB of memory.
/// Errors: `invalid` when it cannot be read or has more than 4,096 pixels a side or 16 Mpx.
pub(super) fn reencode(bytes: &[u8], format: Format) -> Result<Picture> {
    let bytes = if format == Format::Png { Cow::from(without_metadata(bytes)) } else { Cow::from(bytes) };
    let mut reader = ImageReader::with_format(Cursor::new(&bytes), format.image());
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_SIDE_PIXELS);
    limits.max_image_height = Some(MAX_SIDE_PIXELS);
    limits.max_alloc = Some(MAX_DECODE_BYTES);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(decode_error)?;
    let (width, height) = decoder.dimensions();
    if width > MAX_SIDE_PIXELS || height > MAX_SIDE_PIXELS || u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(too_many_pixels());
    }
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let mut picture = DynamicImage::from_decoder(decoder).map_err(decode_error)?;
    picture.apply_orientation(orientation);
    write(picture, format).map_err(Error::internal)
}

fn write(picture: DynamicImage, format: Format) -> image::ImageResult<Picture> {
    let mut out = Cursor::new(Vec::new());
    let size = (picture.width(), picture.height());
    let kind = match format {
        Format::Png => {
            eight_bits(picture).write_to(&mut out, ImageFormat::Png)?;
            "image/png"
        }
        Format::Jpeg => {
            let picture = if picture.color().has_color() {
                DynamicImage::from(picture.into_rgb8())
            } else {
                DynamicImage::from(picture.into_luma8())
            };
            picture.write_with_encoder(JpegEncoder::new_with_quality(&mut out, JPEG_QUALITY))?;
            "image/jpeg"
        }
        Format::WebP => {
            eight_bits(picture).write_with_encoder(WebPEncoder::new_lossless(&mut out))?;
            "image/webp"
        }
    };
    Ok(Picture { bytes: out.into_inner(), kind, size })
}

/// Reduces a picture to eight bits per channel.
fn eight_bits(picture: DynamicImage) -> DynamicImage {
    match (picture.color().has_color(), picture.color().has_alpha()) {
        (true, true) => picture.into_rgba8().into(),
        (true, false) => picture.into_rgb8().into(),
        (false, true) => picture.into_luma_alpha8().into(),
        (false, false) => picture.into_luma8().into(),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::io::Write as _;

    use image::{ImageEncoder, codecs::png::PngEncoder};

    use super::*;

    /// A small picture in a format.
    pub fn sample(format: ImageFormat, width: u32, height: u32) -> Vec<u8> {
        let mut out = Cursor::new(Vec::new());
        let picture =
            image::RgbImage::from_fn(width, height, |x, y| image::Rgb([x.to_le_bytes()[0], y.to_le_bytes()[0], 128]));
        picture.write_to(&mut out, format).unwrap();
        out.into_inner()
    }

    fn decoded(picture: &Picture) -> DynamicImage {
        image::load_from_memory(&picture.bytes).unwrap()
    }

    #[test]
    fn pictures_are_reencoded_in_their_own_format() {
        for (format, image, kind) in [
            (Format::Png, ImageFormat::Png, "image/png"),
            (Format::Jpeg, ImageFormat::Jpeg, "image/jpeg"),
            (Format::WebP, ImageFormat::WebP, "image/webp"),
        ] {
            let bytes = sample(image, 40, 20);
            assert_eq!(Format::of(&bytes), Some(format));
            let made = reencode(&bytes, format).unwrap();
            assert_eq!((made.kind, Format::of(&made.bytes)), (kind, Some(format)));
            assert_eq!((decoded(&made).width(), decoded(&made).height()), (40, 20));
        }
    }

    #[test]
    fn removes_data_appended_to_a_picture() {
        let mut bytes = sample(ImageFormat::Png, 4, 4);
        bytes.extend_from_slice(b"<script>alert(1)</script>");
        let made = reencode(&bytes, Format::Png).unwrap();
        assert!(!made.bytes.windows(8).any(|window| window == b"<script>"));
    }

    /// A JPEG whose EXIF data has orientation 6 (rotated) and a GPS position.
    fn rotated_jpeg() -> Vec<u8> {
        let plain = sample(ImageFormat::Jpeg, 40, 20);
        let mut exif = b"Exif\0\0MM\0\x2A\0\0\0\x08\0\x01".to_vec();
        exif.extend_from_slice(&[0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0]);
        exif.extend_from_slice(b"GPS 40.4168 N");
        let mut bytes = plain[..2].to_vec();
        bytes.extend_from_slice(&[0xFF, 0xE1]);
        bytes.extend_from_slice(&u16::try_from(exif.len() + 2).unwrap().to_be_bytes());
        bytes.extend_from_slice(&exif);
        bytes.extend_from_slice(&plain[2..]);
        bytes
    }

    #[test]
    fn rotates_photos_upright_and_removes_exif_and_gps() {
        let made = reencode(&rotated_jpeg(), Format::Jpeg).unwrap();
        assert_eq!((decoded(&made).width(), decoded(&made).height()), (20, 40));
        assert!(!made.bytes.windows(4).any(|window| window == b"Exif" || window == b"GPS "));
    }

    #[test]
    fn rejects_a_decompression_bomb_before_decoding() {
        // A valid PNG with one row of data whose header claims 50,000 by 50,000 pixels.
        let mut bytes = Vec::new();
        PngEncoder::new(&mut bytes).write_image(&[0; 4], 1, 1, image::ExtendedColorType::Rgba8).unwrap();
        bytes[16..20].copy_from_slice(&50_000_u32.to_be_bytes());
        bytes[20..24].copy_from_slice(&50_000_u32.to_be_bytes());
        let sum = crc(&bytes[12..29]);
        bytes[29..33].copy_from_slice(&sum.to_be_bytes());
        let error = reencode(&bytes, Format::Png).err().unwrap();
        assert_eq!(error.fields()[0].1.key, "errors.fields.picture_size");
    }

    /// CRC-32 as used by PNG (ISO 3309).
    fn crc(bytes: &[u8]) -> u32 {
        !bytes.iter().fold(!0, |sum, byte| {
            (0..8).fold(sum ^ u32::from(*byte), |sum, _| if sum & 1 == 1 { sum >> 1 ^ 0xEDB8_8320 } else { sum >> 1 })
        })
    }

    /// A PNG with further chunks after its header.
    fn with_chunks(chunks: &[(&[u8], &[u8])]) -> Vec<u8> {
        let plain = sample(ImageFormat::Png, 40, 20);
        let mut bytes = plain[..33].to_vec();
        for (kind, data) in chunks {
            bytes.extend_from_slice(&u32::try_from(data.len()).unwrap().to_be_bytes());
            let sum_from = bytes.len();
            bytes.extend_from_slice(kind);
            bytes.extend_from_slice(data);
            let sum = crc(&bytes[sum_from..]);
            bytes.extend_from_slice(&sum.to_be_bytes());
        }
        bytes.extend_from_slice(&plain[33..]);
        bytes
    }

    /// Memory that a small file takes: compressed metadata of a PNG. JPEG and WebP have theirs uncompressed, at most as large
    /// as the upload.
    #[test]
    fn compressed_metadata_is_dropped_before_decoding() {
        let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
        packed.write_all(&vec![0; 1 << 20]).unwrap();
        let packed = packed.finish().unwrap();
        let profile = [b"x\0\0", packed.as_slice()].concat();
        let text = [b"x\0\x01\0\0\0", packed.as_slice()].concat();
        let bytes = with_chunks(&[(b"iCCP", &profile), (b"zTXt", &profile), (b"iTXt", &text), (b"tEXt", b"a\0b")]);
        assert_eq!(without_metadata(&bytes), sample(ImageFormat::Png, 40, 20));
        let mut decoder =
            ImageReader::with_format(Cursor::new(bytes.as_slice()), ImageFormat::Png).into_decoder().unwrap();
        assert_eq!(decoder.icc_profile().unwrap().map(|profile| profile.len()), Some(1 << 20), "the profile is valid");
        assert_eq!(decoded(&reencode(&bytes, Format::Png).unwrap()).width(), 40);
        // The rotation stays.
        let exif = [&b"MM\0\x2A\0\0\0\x08\0\x01"[..], &[1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0]].concat();
        let made = reencode(&with_chunks(&[(b"eXIf", &exif)]), Format::Png).unwrap();
        assert_eq!(decoded(&made).width(), 20);
        // A chunk that says it is longer than the file.
        let cut = bytes.get(..60).unwrap();
        assert_eq!(reencode(cut, Format::Png).err().unwrap().fields()[0].1.key, "errors.fields.picture");
    }

    #[test]
    fn rejects_oversized_and_truncated_pictures() {
        let key = |bytes: &[u8], format| reencode(bytes, format).err().unwrap().fields()[0].1.key;
        assert_eq!(key(&sample(ImageFormat::Png, MAX_SIDE_PIXELS + 1, 1), Format::Png), "errors.fields.picture_size");
        let whole = sample(ImageFormat::Png, 64, 64);
        assert_eq!(key(&whole[..whole.len() / 2], Format::Png), "errors.fields.picture");
        assert_eq!(key(b"\xFF\xD8\xFF\xE0", Format::Jpeg), "errors.fields.picture");
        assert_eq!(key(b"RIFF\0\0\0\0WEBP", Format::WebP), "errors.fields.picture");
        assert!(reencode(&sample(ImageFormat::Png, MAX_SIDE_PIXELS, 1), Format::Png).is_ok());
    }
}
