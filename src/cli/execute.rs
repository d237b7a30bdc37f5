//! Execution of operator commands, on a store that this process opened or in a running server.

use super::{
    answer::{Answer, HealthShown, TenantMade, TenantShown, UserShown},
    command::{Command, NewTenant, NewUser, SetPassword},
    perform::perform,
    tools::{Tools, known, shown},
};
use crate::{
    access::AuthService,
    app::App,
    features::{
        files::FileStore,
        operator::{Eraser, people},
        team::NewMember,
        tenants::{self, Owner, operator::Tenant},
    },
    index::Engine,
    jobs::{HealthMonitor, Notifier},
    kernel::{Code, Error, Result},
    mail::Mailer,
    people::{
        members::{MemberRecord, MemberState},
        permission::Role,
    },
    store::{InstallationId, Store, Stored},
};

/// What commands work on.
#[derive(Clone)]
pub struct Operator {
    pub(super) store: Store,
    engine: Engine,
    pub(super) auth: AuthService,
    pub(super) mailer: Mailer,
    pub(super) eraser: Eraser,
    pub(super) files: FileStore,
    pub(super) notifier: Notifier,
    pub(super) installation: InstallationId,
    watch: HealthMonitor,
}

impl Operator {
    /// Creates the operator of an open application.
    #[must_use]
    pub fn of(app: &App) -> Self {
        Self {
            store: app.store().clone(),
            engine: app.engine().clone(),
            auth: app.auth().clone(),
            mailer: app.mailer().clone(),
            eraser: app.eraser().clone(),
            files: app.files().clone(),
            notifier: app.notifier().clone(),
            installation: app.installation().clone(),
            watch: app.watch().clone(),
        }
    }

    pub(super) fn tenant(&self, slug: &str) -> Result<Tenant> {
        known(&self.store, slug)
    }

    pub(super) fn shown(&self, tenant: &Tenant) -> Result<TenantShown> {
        shown(&self.store.snapshot()?, tenant)
    }
}

/// Executes a command.
///
/// # Errors
/// Violated rules of tenants and members; `busy` or `internal` when store or index fail.
pub async fn execute(operator: &Operator, command: Command) -> Result<Answer> {
    if Tools::take_on(&command) {
        let (store, files, engine) = (operator.store.clone(), operator.files.clone(), operator.engine.clone());
        let tools = Tools::of(store, files, engine, operator.installation.clone(), operator.watch.clone());
        return tools.perform(command).await;
    }
    match command {
        Command::CreateTenant(form) => create_tenant(operator, form).await,
        Command::ShowTenant { slug } => operator.shown(&operator.tenant(&slug)?).map(Answer::Tenant),
        Command::CreateUser(form) => create_user(operator, form).await,
        Command::ListUsers { tenant } => {
            let tenant = operator.tenant(&tenant)?;
            let users = people::list_users(&operator.store, tenant.id)?;
            Ok(Answer::Users(users.into_iter().map(|user| user_shown(&tenant, user)).collect()))
        }
        Command::SetPassword(form) => set_password(operator, form).await,
        // On a stopped store, this command runs before the application is opened.
        Command::Compact => Err(Error::new(Code::Conflict).say("server.cli.stop_first", Vec::new())),
        Command::Health => {
            let (writes, commits) = operator.store.written();
            let condition = operator.watch.condition()?;
            Ok(Answer::Healthy(HealthShown { writes, commits, condition }.into()))
        }
        further => perform(operator, further).await,
    }
}

async fn create_tenant(operator: &Operator, form: NewTenant) -> Result<Answer> {
    let new = tenants::NewTenant {
        slug: form.slug,
        name: form.name,
        color_scheme: form.color_scheme,
        layout: None,
        locale: form.locale,
        timezone: form.timezone,
        domains: form.domains,
        owner: Owner { name: form.owner_name, email: form.owner_email },
    };
    operator.auth.refuse_own_hosts(&new.domains)?;
    let passwords = operator.auth.passwords();
    let (tenant, owner) = tenants::operator::create(&operator.store, passwords, new, form.owner_password.0).await?;
    Ok(Answer::TenantCreated(TenantMade {
        tenant: operator.shown(&tenant)?,
        owner_id: owner.id.to_string(),
        owner_email: owner.value.email,
    }))
}

async fn create_user(operator: &Operator, form: NewUser) -> Result<Answer> {
    let tenant = operator.tenant(&form.tenant)?;
    let new = NewMember::new(form.name, form.email, role(&form.role)?);
    let passwords = operator.auth.passwords();
    let user = people::create_user(&operator.store, passwords, tenant.id, new, form.password.0).await?;
    Ok(Answer::UserCreated(user_shown(&tenant, user)))
}

async fn set_password(operator: &Operator, form: SetPassword) -> Result<Answer> {
    let tenant = operator.tenant(&form.tenant)?;
    let (store, auth) = (&operator.store, &operator.auth);
    let user =
        people::set_password(store, auth.passwords(), auth.sessions(), tenant.id, &form.email, form.password.0).await?;
    Ok(Answer::PasswordSet(user_shown(&tenant, user)))
}

pub(super) fn role(word: &str) -> Result<Role> {
    let role = Role::ALL.into_iter().find(|role| role.as_str() == word);
    role.ok_or_else(|| Error::field("role", "errors.fields.role"))
}

pub(super) fn user_shown(tenant: &Tenant, user: Stored<MemberRecord>) -> UserShown {
    let state = match user.value.state {
        MemberState::Invited => "invited",
        MemberState::Unconfirmed => "unconfirmed",
        MemberState::Active => "active",
        MemberState::Suspended => "suspended",
    };
    UserShown {
        id: user.id.to_string(),
        tenant: tenant.company.value.slug.clone(),
        name: user.value.name,
        email: user.value.email,
        role: user.value.role.as_str().to_owned(),
        state: state.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::Environment,
        cli::command::Password,
        config::Config,
        kernel::{Clock, Entropy, Timestamp},
        testing::NOW,
    };

    fn open(folder: &std::path::Path) -> App {
        let config = Config { data_dir: folder.join("data"), ..Config::default() };
        let clock = Clock::stopped(Timestamp::from_millis(NOW));
        App::open(config, Environment { clock, entropy: Entropy::seeded(7), password_cost: (64, 1), disk: None })
            .unwrap()
    }

    fn acme() -> Command {
        Command::CreateTenant(NewTenant {
            slug: "acme".into(),
            name: "Acme Ltd".into(),
            owner_name: "Ada".into(),
            owner_email: "ada@acme.example".into(),
            owner_password: Password("correct horse battery".into()),
            color_scheme: Some("teal".into()),
            locale: None,
            timezone: None,
            domains: vec!["acme.example".into()],
        })
    }

    fn ben(role: &str, password: &str) -> Command {
        Command::CreateUser(NewUser {
            tenant: "acme".into(),
            name: "Ben".into(),
            email: "ben@acme.example".into(),
            role: role.into(),
            password: Password(password.into()),
        })
    }

    #[tokio::test]
    async fn an_installation_can_be_run_by_commands_alone() {
        let folder = tempfile::tempdir().unwrap();
        let app = open(folder.path());
        let operator = Operator::of(&app);
        let run = |command| execute(&operator, command);
        assert_eq!(run(Command::ListTenants).await.unwrap(), Answer::Tenants(Vec::new()));
        assert_eq!(run(Command::ShowTenant { slug: "acme".into() }).await.unwrap_err().code(), Code::NotFound);

        let Answer::TenantCreated(made) = run(acme()).await.unwrap() else { panic!("no tenant was made") };
        assert_eq!((made.tenant.slug.as_str(), made.tenant.members), ("acme", 1));
        assert_eq!(run(acme()).await.unwrap_err().code(), Code::Conflict);
        let Answer::Tenant(shown) = run(Command::ShowTenant { slug: "acme".into() }).await.unwrap() else {
            panic!("no tenant is shown")
        };
        assert_eq!(shown, made.tenant);

        let Answer::UserCreated(user) = run(ben("viewer", "another long passphrase")).await.unwrap() else {
            panic!("nobody was added")
        };
        assert_eq!((user.role.as_str(), user.state.as_str()), ("viewer", "active"));
        for (command, field) in [(ben("king", "another long passphrase"), "role"), (ben("member", "short"), "password")]
        {
            assert_eq!(run(command).await.unwrap_err().fields()[0].0, field);
        }
        let Answer::Users(users) = run(Command::ListUsers { tenant: "acme".into() }).await.unwrap() else {
            panic!("nobody is listed")
        };
        assert_eq!(users.iter().map(|user| user.name.as_str()).collect::<Vec<_>>(), ["Ada", "Ben"]);

        let form = |email: &str| SetPassword {
            tenant: "acme".into(),
            email: email.into(),
            password: Password("a third passphrase".into()),
        };
        let set = run(Command::SetPassword(form("ben@acme.example"))).await.unwrap();
        assert_eq!(set, Answer::PasswordSet(user));
        let nobody = run(Command::SetPassword(form("nobody@acme.example"))).await;
        assert_eq!(nobody.unwrap_err().code(), Code::NotFound);

        let Answer::Healthy(health) = run(Command::Health).await.unwrap() else { panic!("it is not well") };
        let HealthShown { writes, commits, condition } = *health;
        assert!(condition.writable && condition.disk_free.is_some(), "{condition:?}");
        assert!(writes > 0 && (1..=writes).contains(&commits), "{writes} {commits}");
        assert_eq!(run(Command::Reindex).await.unwrap(), Answer::Reindexed { documents: 2, damaged: 0 });
        let Answer::Checked(report) = run(Command::Check).await.unwrap() else { panic!("nothing was verified") };
        assert!(report.damages.is_empty() && report.records >= 2, "{report:?}");
        drop(operator);
        app.close().await;
    }
}
