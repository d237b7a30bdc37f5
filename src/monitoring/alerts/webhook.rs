//! Alerts by a request to an address of the operator, `alerts.webhook`, in the format of Standard Webhooks.

use std::time::Duration;

use aws_lc_rs::hmac;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use url::Url;

use super::message::Message;
use crate::kernel::{Timestamp, resolver::http_agent};

/// The time limit of a request.
const TIME_LIMIT: Duration = Duration::from_secs(15);

/// How a secret begins that is written in base64.
const BASE64_SECRET: &str = "whsec_";

/// Sends the message. Blocks.
/// Errors: Why there was no response, or its status if it is not 2xx. Redirects are not followed.
pub(super) fn send(url: &Url, secret: Option<&str>, now: Timestamp, message: &Message) -> Result<(), String> {
    let body = serde_json::to_string(message).map_err(|error| error.to_string())?;
    let time = now.seconds().to_string();
    let mut request = http_agent(TIME_LIMIT, Some(concat!("atrium/", env!("CARGO_PKG_VERSION"))), None)
        .post(url.as_str())
        .header("content-type", "application/json")
        .header("webhook-id", &message.id)
        .header("webhook-timestamp", &time);
    if let Some(secret) = secret {
        request = request.header("webhook-signature", signature(secret, &message.id, &time, &body)?);
    }
    let response = request.send(body).map_err(|error| error.to_string())?;
    let status = response.status();
    if status.is_success() { Ok(()) } else { Err(format!("the response has the status {}", status.as_u16())) }
}

/// Returns the signature of a request: HMAC-SHA-256 of its id, its time and its body.
fn signature(secret: &str, id: &str, time: &str, body: &str) -> Result<String, String> {
    let key = match secret.strip_prefix(BASE64_SECRET) {
        Some(encoded) => STANDARD.decode(encoded).map_err(|error| format!("alerts.webhook_secret_file: {error}"))?,
        None => secret.as_bytes().to_vec(),
    };
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &key), format!("{id}.{time}.{body}").as_bytes());
    Ok(format!("v1,{}", STANDARD.encode(tag)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signature_is_that_of_standard_webhooks() {
        // The example of https://github.com/standard-webhooks/standard-webhooks.
        let secret = "whsec_plJ3nmyCDGBKInavdOK15jsl";
        let body = r#"{"event_type":"ping","data":{"success":true}}"#;
        let signed = signature(secret, "msg_loFOjxBNrRLzqYUf", "1731705121", body).unwrap();
        assert_eq!(signed, "v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=");
        assert!(signature("whsec_%", "a", "1", "").is_err());
        let plain = signature("a secret that is long", "a", "1", "{}").unwrap();
        assert_ne!(plain, signature("a secret that is longer", "a", "1", "{}").unwrap());
    }
}
