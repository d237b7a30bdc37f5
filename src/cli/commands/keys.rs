//! `atrium keys rotate`: signs access tokens with a new key.

use crate::cli::prelude::*;

#[derive(Debug, Subcommand)]
pub enum KeysAction {
    /// Sign access tokens with a new key. The previous one stays valid until its tokens expire
    Rotate(RotateKeys),
}

#[derive(Debug, Args, Serialize, Deserialize)]
#[command(after_help = "Examples:
  atrium keys rotate
  atrium keys rotate --at-once")]
pub struct RotateKeys {
    /// Revoke the previous key immediately, when it may have been copied
    #[arg(long)]
    at_once: bool,
}

impl RotateKeys {
    /// Creates the new key.
    pub fn run(&self, context: &Context) -> Result<KeysRotated> {
        let key = context.app()?.auth.tokens().rotate(context.store.entropy(), self.at_once)?;
        tracing::warn!(key, at_once = self.at_once, "the operator changed the key of access tokens");
        Ok(KeysRotated { key })
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeysRotated {
    pub key: String,
}

impl KeysRotated {
    /// Returns what is printed with `--json`.
    pub fn json(&self) -> Value {
        json!({ "id": self.key })
    }

    pub fn text(&self) -> String {
        format!("From now on, access tokens are signed with the new key {}.", self.key)
    }
}
