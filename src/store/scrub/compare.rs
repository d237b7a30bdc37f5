//! Second half of the check: compares the sums found with those stored and expected. Where they differ, it lists the
//! differing rows.

use super::{
    BTreeMap, BTreeSet, Bound, ControlFlow, Damage, FROM_CHANGES, Fault, Section, Space, StoreCheck, TenantId, View,
    counter_key, keys, meta_key, open, row_of,
};

impl StoreCheck<'_> {
    pub(super) fn finish(&mut self) {
        let spaces: BTreeSet<Space> = self.spaces();
        self.report.tenants = spaces.iter().filter(|space| **space != Space::SYSTEM).count() as u64;
        self.compare_counts();
        self.compare_lookups();
        self.compare_ledgers();
        self.compare_news();
        self.compare_counters();
        self.report_orphans();
        if self.tables.values().any(|info| info.is_root) {
            self.compare_tenants(&spaces);
        }
    }

    /// Reports parts of records that are gone, unless those are lost to damage that is reported.
    fn report_orphans(&mut self) {
        for (section, damage) in std::mem::take(&mut self.orphans) {
            if !self.damaged.contains(&section) && !self.has_damaged_records(section.0) {
                self.report.note(damage);
            }
        }
    }

    fn spaces(&self) -> BTreeSet<Space> {
        let sections = self.found.keys().chain(self.kept.keys()).map(|(space, _)| *space);
        let ledgers = self.ledgers.iter().filter(|(_, (_, own))| own.count > 0).map(|(space, _)| *space);
        sections.chain(ledgers).collect()
    }

    /// Whether a space has tables of unknown kinds, so that the data derived from its records is not fully known.
    fn has_unknown_tables(&self, space: Space) -> bool {
        let every = self.kept.keys().chain(self.found.keys());
        every
            .filter(|(of, table)| *of == space || space == Space::SYSTEM && self.kept.contains_key(&(*of, *table)))
            .any(|section| {
                section.0 != Space::SYSTEM && self.kept.contains_key(section) && !self.tables.contains_key(&section.1)
            })
    }

    /// Whether records of a space are damaged, so that their sums cannot be known.
    fn has_damaged_records(&self, space: Space) -> bool {
        self.damaged.iter().any(|(of, table)| {
            (*of == space || space == Space::SYSTEM) && (self.tables.contains_key(table) || *table == 0)
        })
    }

    fn compare_counts(&mut self) {
        let known = self.found.keys().filter(|(_, table)| self.tables.contains_key(table));
        let sections: BTreeSet<Section> = known.chain(self.kept.keys()).copied().collect();
        for section @ (space, table) in sections {
            if space == Space::SYSTEM || self.damaged.contains(&section) || self.damaged.contains(&(space, keys::META))
            {
                continue;
            }
            if !self.tables.contains_key(&table) {
                self.report.unknown.insert(table);
            }
            let of = |sums: &BTreeMap<_, _>| sums.get(&section).copied().unwrap_or_default();
            if of(&self.found) != of(&self.kept) && !self.incomplete.contains(&space) {
                let mut damage = Damage::at(&meta_key(space, table), Fault::Disagrees);
                if let Some(info) = self.tables.get(&table) {
                    damage = Damage { table, kind: info.kind.to_owned(), ..damage };
                }
                // Missing index rows and counters of this record would report the same damage again.
                self.damaged.insert(section);
                self.report.note(damage);
            }
        }
    }

    fn compare_lookups(&mut self) {
        let lookups = self.found.keys().chain(self.expected.keys());
        let lookups: BTreeSet<Section> = lookups
            .filter(|section| !self.tables.contains_key(&section.1) && !self.kept.contains_key(*section))
            .filter(|section| section.1 != keys::NEWS)
            .filter(|section| self.only.is_none_or(|only| only == section.0 && only != Space::SYSTEM))
            .copied()
            .collect();
        for section in lookups {
            if self.found.get(&section) == self.expected.get(&section) {
                continue;
            }
            if self.has_unknown_tables(section.0) {
                self.report.unknown.insert(section.1);
            } else {
                self.report_lookups(section);
            }
        }
    }

    /// Reads one index and its records again, to list the rows that differ.
    fn report_lookups(&mut self, section: Section) {
        let mut expected: BTreeMap<Vec<u8>, Vec<u8>> = BTreeMap::new();
        let mut found: BTreeMap<Vec<u8>, Vec<u8>> = BTreeMap::new();
        let spaces: Vec<Space> =
            if section.0 == Space::SYSTEM { self.spaces().into_iter().collect() } else { vec![section.0] };
        let mut unread = self.has_damaged_records(section.0);
        for space in spaces {
            for info in self.tables.values() {
                let prefix = keys::table(space, info.table);
                let keys = (Bound::Included(prefix.clone()), keys::end(&prefix));
                let gaps = self.snapshot.scan_readable(keys, false, &mut |key, value| {
                    if let Ok((version, payload)) = open(key, value)
                        && let Ok(inspected) = (info.inspect)(key, version, payload)
                    {
                        let rows = inspected.lookups.into_iter();
                        expected.extend(rows.filter(|(row, _)| keys::split(row) == Some(section)));
                    }
                    Ok(ControlFlow::Continue(()))
                });
                unread |= !gaps.is_ok_and(|gaps| gaps == 0);
            }
        }
        let prefix = keys::table(section.0, section.1);
        let incomplete = self.incomplete.clone();
        let keys = (Bound::Included(prefix.clone()), keys::end(&prefix));
        let gaps = self.snapshot.scan_readable(keys, false, &mut |key, value| {
            found.insert(key.to_vec(), value.to_vec());
            Ok(ControlFlow::Continue(()))
        });
        let whole = gaps.is_ok_and(|gaps| gaps == 0);
        for (key, value) in expected.iter().filter(|(key, _)| !concerns(&incomplete, key)) {
            let fault = match found.get(key) {
                // A damaged row was reported when it was read.
                Some(bytes) if bytes == value || open(key, bytes).is_err() => continue,
                Some(_) => Fault::Disagrees,
                // With unreadable ranges it is unknown which rows are missing. A row with a damaged key is reported
                // under that key, and as missing.
                None if !whole => continue,
                None => Fault::Missing,
            };
            self.report.note(Damage::at(key, fault));
        }
        // Index rows without a record are expected if records are lost, which was reported already.
        for (key, value) in
            found.iter().filter(|(key, _)| !unread && !expected.contains_key(*key) && !concerns(&incomplete, key))
        {
            if open(key, value).is_ok() {
                self.report.note(Damage::at(key, Fault::Stray));
            }
        }
    }

    fn compare_counters(&mut self) {
        let off = self.counters.iter().filter(|(_, left)| **left != 0);
        let rows = off.map(|((space, name), _)| (*space, row_of(name).to_owned()));
        for (space, name) in rows.collect::<BTreeSet<_>>() {
            let explained = self.damaged.contains(&(space, keys::COUNTERS))
                || if name.starts_with(FROM_CHANGES) {
                    // The change feed accounts for these counters only while it is untrimmed.
                    self.first_seq > 1 || self.only.is_some() || self.damaged.contains(&(space, keys::LEDGER))
                } else {
                    self.has_damaged_records(space) || self.has_unknown_tables(space)
                };
            if !explained {
                self.report.note(Damage::at(&counter_key(space, &name), Fault::Disagrees));
            }
        }
    }

    fn compare_ledgers(&mut self) {
        let system = (Space::SYSTEM, keys::LEDGER);
        if self.only.is_none() && !self.damaged.contains(&system) {
            for (space, (order, own)) in self.ledgers.clone() {
                if order != own && !self.incomplete.contains(&space) && !self.damaged.contains(&(space, keys::LEDGER)) {
                    self.damaged.insert((space, keys::LEDGER));
                    self.report.note(Damage::at(&keys::table(space, keys::LEDGER), Fault::Disagrees));
                }
            }
        }
        let whole = self.only.is_none_or(|only| only == Space::SYSTEM);
        if whole && !self.damaged.contains(&system) && !self.damaged.contains(&(Space::SYSTEM, keys::META)) {
            let kept = self.kept.get(&system).copied().unwrap_or_default();
            if (kept.count, kept.digest) != (self.last_seq.unwrap_or(0), self.first_seq) {
                self.report.note(Damage::at(&meta_key(Space::SYSTEM, keys::LEDGER), Fault::Disagrees));
            }
        }
    }

    /// Compares the lists of the changes that people read about with the change feeds, which they follow from.
    fn compare_news(&mut self) {
        let listed = self.found.keys().chain(self.expected.keys()).filter(|section| section.1 == keys::NEWS);
        for section in listed.copied().collect::<BTreeSet<Section>>() {
            let is_explained =
                [keys::NEWS, keys::LEDGER].iter().any(|table| self.damaged.contains(&(section.0, *table)));
            if self.found.get(&section) != self.expected.get(&section) && !is_explained {
                self.report.note(Damage::at(&keys::table(section.0, keys::NEWS), Fault::Disagrees));
            }
        }
    }

    fn compare_tenants(&mut self, spaces: &BTreeSet<Space>) {
        for space in spaces.iter().filter(|space| **space != Space::SYSTEM && !self.roots.contains(*space)) {
            let Some(info) = self.tables.values().find(|info| info.is_root) else { return };
            let lost = self.damaged.iter().any(|section| *section == (*space, info.table));
            if !lost && let Some(tenant) = TenantId::from_bytes(space.0) {
                self.report.note(Damage {
                    tenant: Some(tenant),
                    table: info.table,
                    kind: info.kind.to_owned(),
                    row: tenant.to_string(),
                    fault: Fault::Missing,
                });
            }
        }
    }
}

/// Whether a row belongs to one of these tenants or points to one.
fn concerns(tenants: &BTreeSet<Space>, key: &[u8]) -> bool {
    let space = match keys::split(key) {
        Some((Space::SYSTEM, _)) => key.len().checked_sub(32).and_then(|at| key.get(at..at + 16)),
        _ => key.get(..16),
    };
    let space: Option<[u8; 16]> = space.and_then(|space| space.try_into().ok());
    space.is_some_and(|space| tenants.contains(&Space(space)))
}
