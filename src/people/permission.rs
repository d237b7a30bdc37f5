//! Role-based access control: the four roles, the rights, and the table that says which role has which (product §3).

use poem_openapi::Enum;
use serde::{Deserialize, Serialize};

use crate::kernel::MemberId;

/// A member's role in the company. Each role has all rights of the roles before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Enum)]
#[oai(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Reads everything, and writes only personal data.
    Viewer,
    /// Creates and changes records.
    Member,
    /// Manages the company's members and settings.
    Admin,
    /// May transfer and close the company.
    Owner,
}

impl Role {
    /// All roles, lowest first.
    pub const ALL: [Self; 4] = [Self::Viewer, Self::Member, Self::Admin, Self::Owner];

    /// The role's name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Member => "member",
            Self::Admin => "admin",
            Self::Owner => "owner",
        }
    }

    /// The translation key of the role's name.
    pub const fn text_key(self) -> &'static str {
        match self {
            Self::Viewer => "ui.team.roles.viewer",
            Self::Member => "ui.team.roles.member",
            Self::Admin => "ui.team.roles.admin",
            Self::Owner => "ui.team.roles.owner",
        }
    }

    /// Whether the role has a right.
    pub fn has(self, permission: Permission) -> bool {
        self >= permission.least()
    }

    /// The names of all rights that the role has.
    pub fn permissions(self) -> Vec<&'static str> {
        Permission::ALL
            .iter()
            .filter(|permission| self.has(**permission))
            .map(|permission| permission.as_str())
            .collect()
    }
}

/// The member who reads a record.
#[derive(Clone, Copy, Debug)]
pub struct Reader {
    /// The member.
    pub id: MemberId,
    /// The member's role.
    pub role: Role,
}

macro_rules! rights {
    ($($(#[$doc:meta])* $name:ident = $text:literal, $least:ident;)*) => {
        /// A right.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Permission { $($(#[$doc])* $name,)* }

        impl Permission {
            /// All rights.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The name that clients use.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// The lowest role that has it.
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

/// A right as a type, for the signature of a handler.
pub trait Right: Send + Sync + 'static {
    /// The right.
    const PERMISSION: Permission;
    /// Whether it is granted while a required second factor is missing.
    const WITHOUT_SECOND_FACTOR: bool = false;
    /// Whether it is granted while the session is locked.
    const EVEN_LOCKED: bool = false;
}

/// The same permission as [`OwnData`], for calls that also work while a required second factor is missing: the caller's
/// own profile, second factors and sessions.
#[derive(Debug)]
pub enum OwnAccount {}
impl Right for OwnAccount {
    const PERMISSION: Permission = Permission::OwnData;
    const WITHOUT_SECOND_FACTOR: bool = true;
}

/// The same permission as [`OwnData`], for calls that also work while the session is locked.
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
    /// To read and change personal data: inbox, shortcuts, chat, profile, sessions.
    OwnData = "own", Viewer;
    /// To read customers.
    CustomersRead = "customers.read", Viewer;
    /// To create and change customers.
    CustomersWrite = "customers.write", Member;
    /// To delete customers that the caller created.
    CustomersDeleteOwn = "customers.delete_own", Member;
    /// To delete any customer.
    CustomersDelete = "customers.delete", Admin;
    /// To read organizations.
    OrganizationsRead = "organizations.read", Viewer;
    /// To create and change organizations.
    OrganizationsWrite = "organizations.write", Member;
    /// To delete organizations that the caller created.
    OrganizationsDeleteOwn = "organizations.delete_own", Member;
    /// To delete any organization.
    OrganizationsDelete = "organizations.delete", Admin;
    /// To read deals.
    DealsRead = "deals.read", Viewer;
    /// To create and change deals.
    DealsWrite = "deals.write", Member;
    /// To delete deals that the caller created.
    DealsDeleteOwn = "deals.delete_own", Member;
    /// To delete any deal, and to read those of all members.
    DealsDelete = "deals.delete", Admin;
    /// To read tasks.
    TasksRead = "tasks.read", Viewer;
    /// To create and change tasks.
    TasksWrite = "tasks.write", Member;
    /// To delete tasks that the caller created.
    TasksDeleteOwn = "tasks.delete_own", Member;
    /// To delete any task.
    TasksDelete = "tasks.delete", Admin;
    /// To read events.
    EventsRead = "events.read", Viewer;
    /// To create and change events.
    EventsWrite = "events.write", Member;
    /// To delete events that the caller created.
    EventsDeleteOwn = "events.delete_own", Member;
    /// To delete any event.
    EventsDelete = "events.delete", Admin;
    /// To read pages.
    PagesRead = "pages.read", Viewer;
    /// To create and change pages.
    PagesWrite = "pages.write", Member;
    /// To delete pages that the caller created.
    PagesDeleteOwn = "pages.delete_own", Member;
    /// To delete any page.
    PagesDelete = "pages.delete", Admin;
    /// To comment on records, and to change and remove the comments of the caller.
    CommentsWrite = "comments.write", Member;
    /// To remove any comment.
    CommentsDelete = "comments.delete", Admin;
    /// To remove what is in the bin for good.
    BinEmpty = "bin.empty", Admin;
    /// To define custom fields.
    FieldsManage = "fields.manage", Admin;
    /// To change and delete views that others shared.
    ViewsManage = "views.manage", Admin;
    /// To upload files.
    FilesWrite = "files.write", Viewer;
    /// To add, change and remove members below owner.
    TeamManage = "team.manage", Admin;
    /// To change the company's settings and branding.
    SettingsCompany = "settings.company", Admin;
    /// To read the audit log.
    AuditRead = "audit.read", Admin;
    /// To send messages to colleagues.
    MessagesSend = "messages.send", Member;
    /// To send notifications to colleagues.
    NotificationsSend = "notifications.send", Admin;
    /// To send messages to all members.
    MessagesBroadcast = "messages.broadcast", Admin;
    /// To export the whole tenant.
    TenantExport = "tenant.export", Owner;
    /// To transfer ownership, add owners, and close the company.
    TenantOwn = "tenant.own", Owner;
}

// Live updates hold a set of rights in 64 bits.
const _: () = assert!(Permission::ALL.len() <= 64);
