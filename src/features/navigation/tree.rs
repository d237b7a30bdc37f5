//! Navigation tree, and the four structures derived from it for the layouts.

use poem_openapi::{Enum, Object};
use serde::Serialize;
use serde_with::skip_serializing_none;

use crate::{
    feature::{CountWaiting, Menu, RecordKind},
    features::kinds,
    kernel::Result,
    people::permission::{Permission, Role},
};

/// The kind of a navigation entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Enum)]
#[oai(rename = "NavigationType", rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum Type {
    /// An entry that opens a column of its children beside the navigation.
    Aside,
    /// A link.
    Basic,
    /// An entry that opens its children below itself.
    Collapsable,
    /// A separator line.
    Divider,
    /// A heading above its children.
    Group,
    /// An empty space.
    Spacer,
}

/// A short text beside an entry.
#[derive(Clone, Debug, PartialEq, Serialize, Object)]
#[oai(rename = "NavigationBadge")]
pub struct Badge {
    title: String,
}

/// An entry of the navigation.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Object)]
#[oai(rename = "NavigationItem", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct Item {
    /// The id of the entry, the same in all four lists.
    id: String,
    /// The translation key of its text.
    title: String,
    /// The translation key of a second line.
    subtitle: Option<String>,
    #[oai(rename = "type")]
    #[serde(rename = "type")]
    kind: Type,
    /// The name of an icon.
    icon: Option<String>,
    link: Option<String>,
    /// Whether the link leads out of the application.
    external_link: Option<bool>,
    /// Whether the entry is active only on exactly its link, not on paths below it.
    exact_match: Option<bool>,
    badge: Option<Badge>,
    /// The translation key of the tooltip, shown where there is room for the icon only.
    tooltip: Option<String>,
    hidden: Option<bool>,
    disabled: Option<bool>,
    children: Option<Vec<Item>>,
}

/// The navigation entries in the structure of each layout.
#[derive(Debug, PartialEq, Serialize, Object)]
#[oai(rename = "Navigation")]
pub struct Navigation {
    /// Groups that contain their entries.
    default: Vec<Item>,
    /// Tiles. Those with children open a column beside them.
    compact: Vec<Item>,
    /// Groups, with the dashboards in a column beside them.
    futuristic: Vec<Item>,
    /// A bar without nested entries.
    horizontal: Vec<Item>,
}

/// A screen that the navigation links to.
#[derive(Clone)]
pub struct Place {
    id: String,
    icon: &'static str,
    link: &'static str,
    needs: Permission,
    /// How much waits for the caller there, for the badge.
    waiting: u64,
}

/// Screens under one heading.
struct Group {
    id: &'static str,
    title: &'static str,
    subtitle: Option<&'static str>,
    icon: &'static str,
    places: Vec<Place>,
}

fn place(id: &str, icon: &'static str, link: &'static str, needs: Permission) -> Place {
    Place { id: id.to_owned(), icon, link, needs, waiting: 0 }
}

/// Returns the screens of the kinds of records, in their order. `count` counts what waits for the caller.
fn records(mut count: impl FnMut(CountWaiting) -> Result<u64>) -> Result<Vec<Place>> {
    let mut found: Vec<(&RecordKind, Menu)> = kinds().filter_map(|kind| Some((kind, kind.menu?))).collect();
    found.sort_by_key(|(_, menu)| menu.position);
    let places = found.into_iter().map(|(kind, menu)| {
        let waiting = menu.count.map_or(Ok(0), &mut count)?;
        Ok(Place { waiting, ..place(kind.name, menu.icon, menu.link, kind.rights.read) })
    });
    places.collect()
}

/// Returns all screens with the given records. The translation key of a screen's title is `navigation.` and its id.
fn tree(records: Vec<Place>) -> [Group; 3] {
    let dashboards = vec![
        place("dashboards.project", "clipboard-list", "/dashboards/project", Permission::Read),
        place("dashboards.analytics", "chart-pie", "/dashboards/analytics", Permission::Read),
    ];
    [
        Group {
            id: "dashboards",
            title: "navigation.dashboards.title",
            subtitle: Some("navigation.dashboards.subtitle"),
            icon: "layout-dashboard",
            places: dashboards,
        },
        Group {
            id: "work",
            title: "navigation.work.title",
            subtitle: Some("navigation.work.subtitle"),
            icon: "briefcase",
            places: records,
        },
        Group {
            id: "company",
            title: "navigation.company",
            subtitle: None,
            icon: "building-2",
            places: vec![place("settings", "settings", "/settings", Permission::OwnData)],
        },
    ]
}

/// The heading whose screens are not in the horizontal bar: that layout has them in its user menu.
const NOT_IN_BAR: &str = "company";

impl Place {
    fn item(&self) -> Item {
        Item {
            link: Some(self.link.to_owned()),
            badge: (self.waiting > 0).then(|| Badge { title: self.waiting.to_string() }),
            ..Item::new(&self.id, format!("navigation.{}", self.id), Type::Basic, self.icon)
        }
    }
}

impl Item {
    fn new(id: &str, title: String, kind: Type, icon: &str) -> Self {
        Self {
            id: id.to_owned(),
            title,
            subtitle: None,
            kind,
            icon: Some(icon.to_owned()),
            link: None,
            external_link: None,
            exact_match: None,
            badge: None,
            tooltip: None,
            hidden: None,
            disabled: None,
            children: None,
        }
    }

    fn with_tooltip(self) -> Self {
        Self { tooltip: Some(self.title.clone()), ..self }
    }
}

/// Creates a heading, or a tile that opens a column, with its screens as children.
fn branch(group: &Group, children: Vec<Item>, kind: Type) -> Item {
    Item {
        subtitle: group.subtitle.map(str::to_owned),
        children: Some(children),
        ..Item::new(group.id, group.title.to_owned(), kind, group.icon)
    }
}

impl Navigation {
    /// Creates the navigation of a role. `count` counts what waits for the caller, for the badges.
    /// Errors: those of `count`.
    pub fn new(role: Role, count: impl FnMut(CountWaiting) -> Result<u64>) -> Result<Self> {
        let tree = tree(records(count)?);
        let groups: Vec<(&Group, Vec<Item>)> = tree
            .iter()
            .map(|group| {
                let open = group.places.iter().filter(|place| role.has(place.needs));
                (group, open.map(Place::item).collect::<Vec<_>>())
            })
            .filter(|(_, items)| !items.is_empty())
            .collect();
        let aside = |group: &Group| group.id == "dashboards";
        let mut shapes =
            Self { default: Vec::new(), compact: Vec::new(), futuristic: Vec::new(), horizontal: Vec::new() };
        for (group, items) in groups {
            shapes.default.push(branch(group, items.clone(), Type::Group));
            if aside(group) {
                let column = branch(group, items.clone(), Type::Aside).with_tooltip();
                shapes.compact.push(column.clone());
                shapes.futuristic.push(column);
                let dashboard = place("dashboard", group.icon, "/dashboard", Permission::Read);
                shapes.horizontal.push(dashboard.item());
            } else {
                shapes.compact.extend(items.iter().cloned().map(Item::with_tooltip));
                if group.id != NOT_IN_BAR {
                    shapes.horizontal.extend(items.iter().cloned());
                }
                shapes.futuristic.push(branch(group, items, Type::Group));
            }
        }
        Ok(shapes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::i18n;

    fn every(items: &[Item], visit: &mut impl FnMut(&Item)) {
        for item in items {
            visit(item);
            every(item.children.as_deref().unwrap_or_default(), visit);
        }
    }

    #[test]
    fn navigation_texts_exist_in_every_language() {
        let shapes = Navigation::new(Role::Owner, |_| Ok(0)).unwrap();
        for shape in [&shapes.default, &shapes.compact, &shapes.futuristic, &shapes.horizontal] {
            every(shape, &mut |item| {
                let texts = [Some(&item.title), item.subtitle.as_ref(), item.tooltip.as_ref()];
                for (language, key) in ["en", "es"].iter().flat_map(|language| texts.map(|key| (language, key))) {
                    let known = key.is_none_or(|key| i18n::keys(language).contains(&key.as_str()));
                    assert!(known, "{language} {key:?}");
                }
            });
        }
    }

    #[test]
    fn the_four_shapes_are_views_of_one_tree() {
        let shapes = Navigation::new(Role::Owner, |_| Ok(3)).unwrap();
        let mut known = Vec::new();
        every(&shapes.default, &mut |item| known.push((item.id.clone(), item.link.clone(), item.badge.clone())));
        for shape in [&shapes.compact, &shapes.futuristic, &shapes.horizontal] {
            every(shape, &mut |item| {
                let same = (item.id.clone(), item.link.clone(), item.badge.clone());
                assert!(item.id == "dashboard" || known.contains(&same), "{item:?}");
            });
        }
    }

    #[test]
    fn entries_are_unique_per_shape_and_tiles_have_a_tooltip() {
        let shapes = Navigation::new(Role::Owner, |_| Ok(0)).unwrap();
        for shape in [&shapes.default, &shapes.compact, &shapes.futuristic, &shapes.horizontal] {
            let mut ids = Vec::new();
            every(shape, &mut |item| ids.push(item.id.clone()));
            let count = ids.len();
            ids.sort_unstable();
            ids.dedup();
            assert_eq!(ids.len(), count);
        }
        for shape in [&shapes.default, &shapes.compact, &shapes.futuristic] {
            let mut ids = Vec::new();
            every(shape, &mut |item| ids.push(item.id.clone()));
            assert!(
                ["dashboards.project", "dashboards.analytics"].iter().all(|id| ids.iter().any(|other| other == id))
            );
        }
        // Where only the icon is shown, the tooltip is the only text.
        assert!(shapes.compact.iter().all(|item| item.tooltip.as_ref() == Some(&item.title) && item.icon.is_some()));
    }

    #[test]
    fn omits_places_without_permission() {
        let all: Vec<Place> = tree(records(|_| Ok(0)).unwrap()).into_iter().flat_map(|group| group.places).collect();
        for role in Role::ALL {
            let shapes = Navigation::new(role, |_| Ok(0)).unwrap();
            let mut shown = Vec::new();
            every(&shapes.default, &mut |item| shown.push(item.id.clone()));
            for place in &all {
                assert_eq!(shown.contains(&place.id), role.has(place.needs), "{role:?} {}", place.id);
            }
        }
    }
}
