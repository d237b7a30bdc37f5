//! Who may do what: the four roles, the rights, and the one table that says which role has which
//! (product §3).

use poem_openapi::Enum;
use serde::{Deserialize, Serialize};

/// What a member is in the company. Each role may do all that the ones before it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Enum)]
#[oai(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Reads everything, writes only what is their own.
    Viewer,
    /// Makes and changes records.
    Member,
    /// Runs the company's people and settings.
    Admin,
    /// May hand the company over and close it.
    Owner,
}

impl Role {
    /// All roles, the least first.
    pub const ALL: [Self; 4] = [Self::Viewer, Self::Member, Self::Admin, Self::Owner];

    /// The role's name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Member => "member",
            Self::Admin => "admin",
            Self::Owner => "owner",
        }
    }

    /// The translation key of the role's name.
    #[must_use]
    pub const fn text_key(self) -> &'static str {
        match self {
            Self::Viewer => "ui.team.roles.viewer",
            Self::Member => "ui.team.roles.member",
            Self::Admin => "ui.team.roles.admin",
            Self::Owner => "ui.team.roles.owner",
        }
    }

    /// Whether the role has a right.
    #[must_use]
    pub fn has(self, permission: Permission) -> bool {
        self >= permission.least()
    }

    /// The names of all rights that the role has.
    #[must_use]
    pub fn permissions(self) -> Vec<&'static str> {
        Permission::ALL
            .iter()
            .filter(|permission| self.has(**permission))
            .map(|permission| permission.as_str())
            .collect()
    }
}

macro_rules! rights {
    ($($(#[$doc:meta])* $name:ident = $text:literal, $least:ident;)*) => {
        /// A right, and the table of who has it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Permission { $($(#[$doc])* $name,)* }

        impl Permission {
            /// All rights.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The name by which clients know it.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// The least role that has it.
            #[must_use]
            pub const fn least(self) -> Role {
                match self { $(Self::$name => Role::$least,)* }
            }
        }

        $(
            $(#[$doc])*
            #[derive(Debug)]
            pub enum $name {}
            impl Right for $name {
                const PERMISSION: Permission = Permission::$name;
            }
        )*
    };
}

/// A right as a type: what stands in a handler's signature.
pub trait Right: Send + Sync + 'static {
    /// The right.
    const PERMISSION: Permission;
    /// Whether it counts even while the second factor that the company asks for is missing.
    const WITHOUT_SECOND_FACTOR: bool = false;
    /// Whether the call is answered while the session is locked.
    const EVEN_LOCKED: bool = false;
}

/// To read and change one's own profile, second factors and sessions: the right of [`OwnData`], of which this is
/// what somebody needs who must set a second factor up first.
#[derive(Debug)]
pub enum OwnAccount {}
impl Right for OwnAccount {
    const PERMISSION: Permission = Permission::OwnData;
    const WITHOUT_SECOND_FACTOR: bool = true;
}

/// To lock one's session, which may be locked already.
#[derive(Debug)]
pub enum EvenLocked {}
impl Right for EvenLocked {
    const PERMISSION: Permission = Permission::OwnData;
    const WITHOUT_SECOND_FACTOR: bool = true;
    const EVEN_LOCKED: bool = true;
}

rights! {
    /// To read the tenant's records.
    Read = "read", Viewer;
    /// To read and change what is one's own: inbox, shortcuts, chat, profile, sessions.
    OwnData = "own", Viewer;
    /// To make and change customers.
    CustomersWrite = "customers.write", Member;
    /// To delete the customers that one made.
    CustomersDeleteOwn = "customers.delete_own", Member;
    /// To delete any customer.
    CustomersDelete = "customers.delete", Admin;
    /// To make and change tasks.
    TasksWrite = "tasks.write", Member;
    /// To delete the tasks that one made.
    TasksDeleteOwn = "tasks.delete_own", Member;
    /// To delete any task.
    TasksDelete = "tasks.delete", Admin;
    /// To make and change events.
    EventsWrite = "events.write", Member;
    /// To delete the events that one made.
    EventsDeleteOwn = "events.delete_own", Member;
    /// To delete any event.
    EventsDelete = "events.delete", Admin;
    /// To make and change pages.
    PagesWrite = "pages.write", Member;
    /// To delete the pages that one made.
    PagesDeleteOwn = "pages.delete_own", Member;
    /// To delete any page.
    PagesDelete = "pages.delete", Admin;
    /// To upload files.
    FilesWrite = "files.write", Viewer;
    /// To add, change and remove members below owner.
    TeamManage = "team.manage", Admin;
    /// To change the company's settings and branding.
    SettingsCompany = "settings.company", Admin;
    /// To read what happened.
    AuditRead = "audit.read", Admin;
    /// To send messages to colleagues.
    MessagesSend = "messages.send", Member;
    /// To send notifications to colleagues.
    NotificationsSend = "notifications.send", Admin;
    /// To address everyone.
    MessagesBroadcast = "messages.broadcast", Admin;
    /// To export the whole tenant.
    TenantExport = "tenant.export", Owner;
    /// To hand over ownership, add owners, close the company.
    TenantOwn = "tenant.own", Owner;
}
