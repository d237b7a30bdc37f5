//! The sessions against a model of them.
