//! What most commands use.

pub use std::path::PathBuf;

pub use clap::{Args, Subcommand};
pub use serde::{Deserialize, Serialize};
pub use serde_json::{Value, json};

pub use super::{
    answer::Answer,
    command::Command,
    commands::{
        tenant::{TenantShown, TenantSlug},
        user::{Person, UserShown},
    },
    context::Context,
    failure::Failure,
    output::{absolute_path, complain, pairs, print_text, table},
    password::{NEW_PASSWORD, NewPassword, Passphrase, Password, PasswordError, read_password},
};
pub use crate::{
    features::{
        operator::{self, companies, people},
        tenants::operator::Tenant,
    },
    kernel::{Code, Error, Result},
    store::Stored,
};
