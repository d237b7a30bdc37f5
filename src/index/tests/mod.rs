//! What search promises, tried.
