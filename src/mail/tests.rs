//! Letters on their way: tried against a mail server that speaks the real protocol.
