//! Second factors over HTTP.

mod own;
