//! People and companies: members, their credentials and permissions, the rules of a company, and the audit log.

pub mod audit;
pub mod company_rules;
pub mod former_members;
pub mod members;
pub mod permission;
pub mod region;
