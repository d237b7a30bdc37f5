//! Tests of the checks on facts.
