//! What tests take from the machine that they run on. They depend neither on its environment variables nor on what else
//! listens on it.

pub mod agent;
pub mod free_address;
pub mod program;
