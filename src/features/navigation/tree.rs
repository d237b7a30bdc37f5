//! Navigation tree, and the four structures derived from it for the layouts.

use poem_openapi::{Enum, Object};
use serde::Serialize;
use serde_with::skip_serializing_none;

use crate::people::permission::{Permission, Role};

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

/// Kind of count that the badge of an entry shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Count {
    /// The caller's open tasks.
    Tasks,
    /// Events that begin today.
    Events,
}

/// Counts for the badges of the caller.
#[derive(Clone, Copy, Debug, Default)]
pub struct Waiting {
    /// The caller's open tasks.
    pub tasks: i64,
    /// Events that begin today.
    pub events: i64,
}

impl Waiting {
    fn badge(self, count: Option<Count>) -> Option<Badge> {
        let number = match count? {
            Count::Tasks => self.tasks,
            Count::Events => self.events,
        };
        (number > 0).then(|| Badge { title: number.to_string() })
    }
}

/// A screen that the navigation links to.
struct Place {
    id: &'static str,
    icon: &'static str,
    link: &'static str,
    needs: Permission,
    count: Option<Count>,
}

/// Screens under one heading.
struct Group {
    id: &'static str,
    title: &'static str,
    subtitle: Option<&'static str>,
    icon: &'static str,
    places: &'static [Place],
}

const fn place(id: &'static str, icon: &'static str, link: &'static str, needs: Permission) -> Place {
    Place { id, icon, link, needs, count: None }
}

/// All screens. The translation key of a screen's title is `navigation.` and its id.
const TREE: [Group; 3] = [
    Group {
        id: "dashboards",
        title: "navigation.dashboards.title",
        subtitle: Some("navigation.dashboards.subtitle"),
        icon: "layout-dashboard",
        places: &[
            place("dashboards.project", "clipboard-list", "/dashboards/project", Permission::Read),
            place("dashboards.analytics", "chart-pie", "/dashboards/analytics", Permission::Read),
        ],
    },
    Group {
        id: "work",
        title: "navigation.work.title",
        subtitle: Some("navigation.work.subtitle"),
        icon: "briefcase",
        places: &[
            Place { count: Some(Count::Events), ..place("events", "calendar-days", "/events", Permission::Read) },
            Place { count: Some(Count::Tasks), ..place("tasks", "circle-check-big", "/tasks", Permission::Read) },
            place("customers", "contact", "/customers", Permission::Read),
            place("team", "users", "/team/list", Permission::Read),
            place("pages", "book-open", "/pages", Permission::Read),
        ],
    },
    Group {
        id: "company",
        title: "navigation.company",
        subtitle: None,
        icon: "building-2",
        places: &[place("settings", "settings", "/settings", Permission::OwnData)],
    },
];

/// Screens in the horizontal bar after the dashboard. Settings are in the user menu of that layout.
const BAR: [&str; 5] = ["events", "tasks", "customers", "team", "pages"];

impl Place {
    fn item(&self, waiting: Waiting) -> Item {
        Item {
            link: Some(self.link.to_owned()),
            badge: waiting.badge(self.count),
            ..Item::new(self.id, format!("navigation.{}", self.id), Type::Basic, self.icon)
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
    /// Creates the navigation of a role with its counts.
    pub fn new(role: Role, waiting: Waiting) -> Self {
        let groups: Vec<(&Group, Vec<Item>)> = TREE
            .iter()
            .map(|group| {
                let open = group.places.iter().filter(|place| role.has(place.needs));
                (group, open.map(|place| place.item(waiting)).collect::<Vec<_>>())
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
                shapes.horizontal.push(dashboard.item(waiting));
            } else {
                shapes.compact.extend(items.iter().cloned().map(Item::with_tooltip));
                shapes.horizontal.extend(items.iter().filter(|item| BAR.contains(&item.id.as_str())).cloned());
                shapes.futuristic.push(branch(group, items, Type::Group));
            }
        }
        shapes
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
        let shapes = Navigation::new(Role::Owner, Waiting::default());
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
        let shapes = Navigation::new(Role::Owner, Waiting { tasks: 3, events: 0 });
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
        let shapes = Navigation::new(Role::Owner, Waiting::default());
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
        let all = TREE.iter().flat_map(|group| group.places);
        for role in Role::ALL {
            let shapes = Navigation::new(role, Waiting::default());
            let mut shown = Vec::new();
            every(&shapes.default, &mut |item| shown.push(item.id.clone()));
            for place in all.clone() {
                assert_eq!(shown.contains(&place.id.to_owned()), role.has(place.needs), "{role:?} {}", place.id);
            }
        }
    }
}
