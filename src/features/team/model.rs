//! Validation of members, and the form that creates a member.

use crate::{
    kernel::{Result, error::Faults, text},
    people::{
        members::{MemberRecord, MemberState, Status},
        permission::Role,
        region::RegionChoice,
    },
};

/// Maximum length of a member's name, in characters.
pub const NAME: usize = 200;

/// A member to create.
#[derive(Clone, Debug)]
pub struct NewMember {
    /// The name.
    pub name: String,
    /// The e-mail address, in any spelling.
    pub email: String,
    /// The role.
    pub role: Role,
    /// Job title.
    pub title: Option<String>,
    /// Phone number.
    pub phone: Option<String>,
    /// A short description.
    pub about: Option<String>,
}

impl NewMember {
    /// Creates the form with a name, an address and a role; the other fields are empty.
    pub fn new(name: impl Into<String>, email: impl Into<String>, role: Role) -> Self {
        Self { name: name.into(), email: email.into(), role, title: None, phone: None, about: None }
    }

    /// Returns the record of an active member, with the address in its canonical form.
    /// Errors: `invalid` with every field that breaks a rule.
    pub fn into_record(self) -> Result<MemberRecord> {
        self.into_record_in(MemberState::Active)
    }

    /// Returns the record of a member in another state, like `into_record`.
    pub fn into_record_in(self, state: MemberState) -> Result<MemberRecord> {
        let record = MemberRecord {
            name: text::line(&self.name),
            // An invalid address stays as it is: `check` refuses it together with the other fields.
            email: text::email(&self.email).unwrap_or(self.email),
            avatar: None,
            role: self.role,
            state,
            status: Status::default(),
            title: self.title,
            phone: self.phone,
            about: self.about,
            locale: None,
            timezone: None,
            region: RegionChoice::default(),
            layout: None,
            scheme: None,
            sign_on: None,
        };
        check(&record)?;
        Ok(record)
    }
}

/// Validates a member.
/// Errors: `invalid` with every field that breaks a rule.
pub fn check(member: &MemberRecord) -> Result<()> {
    let mut faults = Faults::default();
    faults.required("name", &member.name, NAME);
    if text::email(&member.email).as_deref() != Some(member.email.as_str()) {
        faults.add("email", "errors.fields.email");
    }
    faults.at_most("title", member.title.as_deref().unwrap_or(""), 200);
    faults.at_most("phone", member.phone.as_deref().unwrap_or(""), 50);
    faults.at_most("about", member.about.as_deref().unwrap_or(""), 2_000);
    faults.into_result()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_member_has_a_normalized_name_and_email() {
        let member = NewMember::new(" Ada Lovelace ", "Ada@ACME.example", Role::Member).into_record().unwrap();
        assert_eq!((member.name.as_str(), member.email.as_str()), ("Ada Lovelace", "ada@acme.example"));
        assert_eq!(member.state, MemberState::Active);
    }

    #[test]
    fn new_member_reports_all_invalid_fields_at_once() {
        let error = NewMember::new(" ", "nobody", Role::Member).into_record().unwrap_err();
        let fields: Vec<&str> = error.fields().iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(fields, ["name", "email"]);
    }
}
