//! Authenticator apps (RFC 6238): SHA-1, six digits, steps of thirty seconds, and a clock that may differ by one step.

use std::fmt::Write;

use qrcode::{Color, EcLevel, QrCode};
use totp_rs::{Algorithm, Builder, Totp};

use super::record::{App, Secret};
use crate::kernel::{Error, Result, Timestamp};

/// Bytes of a secret (RFC 4226 §4 requires 160 bits).
pub(super) const SECRET: usize = 20;
/// Digits of a code, also known to the interface (`features/auth/rules.ts`). Apps that are set up keep theirs.
pub(super) const DIGITS: u8 = 6;
/// Seconds in a time step.
const STEP: u64 = 30;
/// Time steps by which the app's clock may differ.
const SKEW: u16 = 1;
/// Light modules around a QR code (ISO/IEC 18004 requires four).
const QUIET: usize = 4;

/// What a member needs to set up their app.
pub struct Enrolment {
    /// The secret in base32, for typing.
    pub secret: String,
    /// The secret as an `otpauth` URI.
    pub uri: String,
    /// The URI as a QR code.
    pub qr: Picture,
}

/// A QR code as SVG path data: dark modules of one unit each.
pub struct Picture {
    /// Units on a side, including the quiet border.
    pub size: usize,
    /// The path's `d` attribute.
    pub path: String,
}

fn totp(secret: &Secret, issuer: &str, account: &str) -> Result<Totp> {
    // A colon separates issuer and account in the URI.
    let plain = |text: &str| text.replace(':', " ").trim().to_owned();
    let builder = Builder::new()
        .with_algorithm(Algorithm::SHA1)
        .with_digits(DIGITS)
        .with_step_duration(STEP)
        .with_skew(SKEW)
        .with_secret(secret.0.clone())
        .with_issuer(Some(plain(issuer)))
        .with_account_name(plain(account));
    builder.build().map_err(Error::internal)
}

/// Returns what to show for a new secret.
pub(super) fn enrolment(secret: &Secret, issuer: &str, account: &str) -> Result<Enrolment> {
    let totp = totp(secret, issuer, account)?;
    let uri = totp.to_url().map_err(Error::internal)?;
    Ok(Enrolment { secret: totp.secret().to_base32(), qr: picture(&uri)?, uri })
}

fn picture(text: &str) -> Result<Picture> {
    let code = QrCode::with_error_correction_level(text, EcLevel::M).map_err(Error::internal)?;
    let width = code.width();
    let colors = code.to_colors();
    let mut path = String::new();
    for (y, row) in colors.chunks(width).enumerate() {
        let mut x = 0;
        while x < width {
            let run = row.iter().skip(x).take_while(|color| **color == Color::Dark).count();
            if run > 0 {
                // Writing into a string cannot fail.
                let _ = write!(path, "M{} {}h{run}v1h-{run}z", x + QUIET, y + QUIET);
            }
            x += run.max(1);
        }
    }
    Ok(Picture { size: width + 2 * QUIET, path })
}

/// Returns the time step that a code belongs to, if it is correct now.
pub(super) fn step(secret: &Secret, code: &str, now: Timestamp) -> Result<Option<u64>> {
    let Ok(seconds) = u64::try_from(now.seconds()) else { return Ok(None) };
    Ok(totp(secret, "Atrium", "code")?.check(code, seconds))
}

/// Accepts a code of an app, once.
pub(super) fn take(app: &mut App, code: &str, now: Timestamp) -> Result<bool> {
    match step(&app.secret, code, now)? {
        Some(step) if step > app.last_step => {
            app.last_step = step;
            Ok(true)
        }
        _ => Ok(false),
    }
}

/// Returns the code of a secret at a time.
#[cfg(test)]
pub(crate) fn code_at(secret: &str, now: Timestamp) -> String {
    let secret = totp_rs::Secret::try_from_base32(secret).expect("base32");
    let totp = totp(&Secret(secret.as_ref().to_vec()), "Atrium", "code").expect("a secret");
    totp.generate(now.seconds().unsigned_abs()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn app() -> App {
        App { secret: Secret(b"12345678901234567890".to_vec()), last_step: 0 }
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(seconds * 1000)
    }

    #[test]
    fn codes_match_the_test_vectors_of_rfc_6238() {
        // RFC 6238, appendix B, shortened to six digits.
        for (seconds, code) in [(59, "287082"), (1_111_111_109, "081804"), (20_000_000_000, "353130")] {
            assert!(take(&mut app(), code, at(seconds)).unwrap(), "{code}");
        }
    }

    #[test]
    fn code_is_valid_once_and_one_step_early_or_late() {
        for (seconds, good) in [(1_111_111_109 - 60, false), (1_111_111_109 - 30, true), (1_111_111_109 + 30, true)] {
            assert_eq!(take(&mut app(), "081804", at(seconds)).unwrap(), good, "{seconds}");
        }
        assert!(!take(&mut app(), "081804", at(1_111_111_109 + 61)).unwrap());
        let mut used = app();
        assert!(take(&mut used, "081804", at(1_111_111_109)).unwrap());
        assert!(!take(&mut used, "081804", at(1_111_111_109)).unwrap(), "again");
        let before = totp(&used.secret, "a", "b").unwrap().generate(1_111_111_109 - 30).to_string();
        assert!(!take(&mut used, &before, at(1_111_111_109)).unwrap(), "the one before it");
    }

    #[test]
    fn rejects_malformed_codes() {
        for code in ["", "08180", "0818044", "O81804", "-81804", " ", "081804081804"] {
            assert!(!take(&mut app(), code, at(1_111_111_109)).unwrap(), "{code:?}");
        }
    }

    #[test]
    fn qr_code_has_an_empty_border() {
        let picture = picture("otpauth://totp/Acme:a@b.example?secret=GEZDGNBV&issuer=Acme").unwrap();
        let starts = picture.path.split('M').skip(1).map(|part| {
            let (x, rest) = part.split_once(' ').unwrap();
            (x.parse::<usize>().unwrap(), rest.split('h').next().unwrap().parse::<usize>().unwrap())
        });
        let mut count = 0;
        let inside = 4..picture.size - 4;
        for (x, y) in starts {
            assert!(inside.contains(&x) && inside.contains(&y), "{x} {y}");
            count += 1;
        }
        assert!(count > 100, "{count}");
        // The corner is a finder pattern: seven dark modules in a row.
        assert!(picture.path.starts_with("M4 4h7v1h-7z"), "{}", &picture.path[..20]);
    }

    #[test]
    fn debug_output_hides_the_secret() {
        assert!(!format!("{:?}", app()).contains("49"), "{:?}", app());
    }
}
