//! Comments on records of all kinds. All who may see a record see its comments; members may write some, and change
//! and remove their own.

mod api;
mod model;
mod rules;
#[cfg(test)]
mod tests;

pub use api::{Api, View};
pub use model::{COMMENTS_BY_RECORD, Comment};
pub use rules::{erase_references, find_excerpt, shows_file};
