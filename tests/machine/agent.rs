//! The HTTP client of tests.

/// Returns the settings of a client that takes every status as a response, and uses no proxy that environment variables
/// name.
pub fn agent_settings() -> ureq::config::ConfigBuilder<ureq::typestate::AgentScope> {
    ureq::Agent::config_builder().proxy(None).http_status_as_error(false)
}
