//! Users and groups of the machine, from `/etc/passwd` and `/etc/group`: a static binary has no other source.

use std::{collections::BTreeMap, fs, path::Path};

use super::files::PathFacts;

/// The users and groups of the machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Accounts {
    /// The name and the group of each user.
    users: BTreeMap<u32, (String, u32)>,
    /// The name and the members of each group.
    groups: BTreeMap<u32, (String, Vec<String>)>,
}

impl Accounts {
    /// Reads both files.
    pub fn gather() -> Self {
        let read = |file| fs::read_to_string(file).unwrap_or_default();
        Self::parse(&read("/etc/passwd"), &read("/etc/group"))
    }

    /// Parses both files. The first of several entries with the same id counts.
    pub fn parse(passwd: &str, group: &str) -> Self {
        let mut found = Self::default();
        for line in passwd.lines() {
            let fields: Vec<&str> = line.split(':').collect();
            if let [name, _, id, group, ..] = fields[..]
                && let (Ok(id), Ok(group)) = (id.parse(), group.parse())
            {
                found.users.entry(id).or_insert((name.to_owned(), group));
            }
        }
        for line in group.lines() {
            let fields: Vec<&str> = line.split(':').collect();
            if let [name, _, id, members] = fields[..]
                && let Ok(id) = id.parse()
            {
                let members = members.split(',').filter(|name| !name.is_empty()).map(ToOwned::to_owned).collect();
                found.groups.entry(id).or_insert((name.to_owned(), members));
            }
        }
        found
    }

    /// Returns the name of a user, or the number of one without a name.
    pub fn user(&self, id: u32) -> String {
        self.users.get(&id).map_or_else(|| id.to_string(), |(name, _)| name.clone())
    }

    /// Returns the name of a group, or the number of one without a name.
    pub fn group(&self, id: u32) -> String {
        self.groups.get(&id).map_or_else(|| id.to_string(), |(name, _)| name.clone())
    }

    /// Returns the groups of a user.
    pub fn groups_of(&self, user: u32) -> Vec<u32> {
        let Some((name, own)) = self.users.get(&user) else { return Vec::new() };
        let others = self.groups.iter().filter(|(_, (_, members))| members.contains(name)).map(|(id, _)| *id);
        std::iter::once(*own).chain(others).collect()
    }

    /// Returns the group with a name, or with a number.
    pub fn group_named(&self, name: &str) -> Option<u32> {
        let named = self.groups.iter().find(|(_, (found, _))| found == name).map(|(id, _)| *id);
        named.or_else(|| name.parse().ok())
    }
}

/// Who runs the server: the owner of the data directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerUser {
    /// The user.
    pub user: u32,
    /// The groups.
    pub groups: Vec<u32>,
    /// Folders that the unit hides from the server.
    pub hidden: &'static [&'static str],
}

/// Permissions, as in the lowest three bits of a mode.
const READ: u32 = 0o4;
const WRITE: u32 = 0o2;
const ENTER: u32 = 0o1;

impl ServerUser {
    /// Returns what keeps the server from reading a file or listing a folder: that, or a folder above it.
    pub fn refused_read(&self, path: &Path) -> Option<PathFacts> {
        self.refused(path, |about| if about.is_folder { READ | ENTER } else { READ })
    }

    /// Returns what keeps the server from writing files to a folder: that, or a folder above it.
    pub fn refused_write(&self, folder: &Path) -> Option<PathFacts> {
        self.refused(folder, |_| WRITE | ENTER)
    }

    fn refused(&self, path: &Path, needed: impl Fn(&PathFacts) -> u32) -> Option<PathFacts> {
        let path = std::path::absolute(path).ok()?;
        // A link leads through other folders; both ways must be open.
        let target = fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
        for path in [&path, &target] {
            if let Some(hidden) = self.hidden.iter().find(|hidden| path.starts_with(hidden)) {
                return PathFacts::of(Path::new(hidden));
            }
            let mut above: Vec<&Path> = path.ancestors().skip(1).collect();
            above.reverse();
            let closed = above.into_iter().filter_map(PathFacts::of).find(|folder| !self.may(folder, ENTER));
            if closed.is_some() {
                return closed;
            }
        }
        PathFacts::of(&target).filter(|about| !self.may(about, needed(about)))
    }

    /// Whether the owner, the group and the mode of a path allow something. An access list may allow more.
    fn may(&self, about: &PathFacts, needed: u32) -> bool {
        let bits = match about {
            _ if self.user == 0 || about.has_access_list => return true,
            about if about.user == self.user => about.mode >> 6,
            about if self.groups.contains(&about.group) => about.mode >> 3,
            about => about.mode,
        };
        bits & needed == needed
    }
}

#[cfg(test)]
mod tests {
    use std::{
        fs::Permissions,
        os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink},
    };

    use super::*;

    const PASSWD: &str = "root:x:0:0:root:/root:/bin/bash\natrium:x:101:102:,,,:/var/lib/atrium:/usr/sbin/nologin\n\
                          second:x:101:7::/:/bin/sh\n# no user\n";
    const GROUP: &str = "root:x:0:\natrium:x:102:\nssl-cert:x:103:postgres,atrium\nadm:x:4:atriumx\n";

    #[test]
    fn users_and_groups_have_names() {
        let accounts = Accounts::parse(PASSWD, GROUP);
        assert_eq!((accounts.user(101), accounts.user(990)), ("atrium".to_owned(), "990".to_owned()));
        assert_eq!((accounts.group(103), accounts.group(990)), ("ssl-cert".to_owned(), "990".to_owned()));
        assert_eq!((accounts.groups_of(101), accounts.groups_of(990)), (vec![102, 103], Vec::new()));
        assert_eq!(
            [accounts.group_named("ssl-cert"), accounts.group_named("7"), accounts.group_named("none")],
            [Some(103), Some(7), None]
        );
        assert_eq!(Accounts::gather().user(0), "root");
    }

    #[test]
    fn a_folder_above_a_file_can_keep_the_server_out() {
        let folder = tempfile::tempdir().unwrap();
        let own = fs::metadata(folder.path()).unwrap();
        let inner = folder.path().join("inner");
        let file = inner.join("key.pem");
        fs::create_dir(&inner).unwrap();
        fs::write(&file, "").unwrap();
        let link = folder.path().join("link.pem");
        symlink(&file, &link).unwrap();
        let mode = |path: &Path, mode| fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        mode(folder.path(), 0o755);
        let server = |user, group| ServerUser { user, groups: vec![group], hidden: &[] };
        let other = server(own.uid() + 1, own.gid() + 1);
        let member = server(own.uid() + 1, own.gid());
        let refused = |server: &ServerUser, path: &Path| server.refused_read(path).map(|about| about.path);
        for (folder_mode, file_mode, of_other, of_member) in [
            (0o755, 0o644, None, None),
            (0o755, 0o640, Some(&file), None),
            (0o755, 0o600, Some(&file), Some(&file)),
            (0o750, 0o644, Some(&inner), None),
            (0o740, 0o644, Some(&inner), Some(&inner)),
        ] {
            mode(&inner, folder_mode);
            mode(&file, file_mode);
            for path in [&file, &link] {
                assert_eq!(refused(&other, path).as_ref(), of_other, "{folder_mode:o} {file_mode:o}");
                assert_eq!(refused(&member, path).as_ref(), of_member, "{folder_mode:o} {file_mode:o}");
            }
            assert_eq!(refused(&server(own.uid(), 1), &file), None, "its owner");
        }
        mode(&inner, 0o770);
        assert_eq!(member.refused_write(&inner), None);
        mode(&inner, 0o750);
        assert_eq!(member.refused_write(&inner).unwrap().path, inner);
        assert_eq!(refused(&server(0, 0), &file), None);
        let hides = ServerUser { hidden: &["/"], ..server(0, 0) };
        assert_eq!(refused(&hides, &file).as_deref(), Some(Path::new("/")));
    }
}
