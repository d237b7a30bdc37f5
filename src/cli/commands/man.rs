//! `atrium man`: writes the manual pages, one for each command.

use std::{
    fs,
    io::{self, Write as _},
    path::Path,
};

use clap_mangen::{
    Man,
    roff::{Roff, roman},
};

use crate::{
    cli::{
        help::{self, SEE_ALSO, TOPICS, Topic},
        prelude::*,
    },
    kernel::folder,
};

/// The mode of the pages, readable by all users.
const PAGE_MODE: u32 = 0o644;

#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:
  atrium man /usr/local/share/man/man1
  atrium man man --json")]
pub struct ManPages {
    /// The folder to write them to; it is created if it is missing
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl ManPages {
    /// Writes the pages, and prints how many.
    pub fn run(&self, json: bool) -> Result<(), Failure> {
        let folder = self.folder.display();
        let failed = |error: io::Error| Failure::internal(format_args!("{folder}: {error}"));
        let pages = write_pages(&self.folder).map_err(failed)?;
        print_text(&if json {
            json!({ "folder": folder.to_string(), "pages": pages }).to_string()
        } else {
            format!("Manual pages written to {folder}: {pages}")
        })
    }
}

/// Writes the pages into a folder. Returns their number.
fn write_pages(folder: &Path) -> io::Result<usize> {
    fs::create_dir_all(folder)?;
    let mut command = help::command();
    command.build();
    let mut left = vec![command];
    let mut pages = 0;
    while let Some(command) = left.pop() {
        left.extend(command.get_subcommands().cloned());
        let mut after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        if pages == 0 {
            after = after.replace(SEE_ALSO, &topic_sections());
        }
        let has_commands = command.has_subcommands();
        let page = Man::new(command).source(concat!("atrium ", env!("CARGO_PKG_VERSION"))).manual("Atrium");
        let file = folder.join(page.get_filename());
        folder::create(&file, PAGE_MODE)?.write_all(&render(&page, has_commands, &after)?)?;
        pages += 1;
    }
    Ok(pages)
}

fn render(page: &Man, has_commands: bool, after: &str) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    page.render_title(&mut text)?;
    page.render_name_section(&mut text)?;
    page.render_synopsis_section(&mut text)?;
    page.render_description_section(&mut text)?;
    page.render_options_section(&mut text)?;
    if has_commands {
        page.render_subcommands_section(&mut text)?;
    }
    render_sections(after).to_writer(&mut text)?;
    Ok(text)
}

/// Returns the topics of the help as sections.
fn topic_sections() -> String {
    let section = |topic: &Topic| format!("{}:\n{}\n", topic.title(), topic.body());
    TOPICS.iter().map(section).collect()
}

/// Returns the sections at the end of a help text: a heading with a colon each, and lines that stay as they are.
fn render_sections(text: &str) -> Roff {
    let mut roff = Roff::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        let is_heading =
            |heading: &&str| *heading == "Examples" || TOPICS.iter().any(|topic| topic.title() == *heading);
        match line.strip_suffix(':').filter(is_heading) {
            _ if line == SEE_ALSO => {
                roff.control("SH", ["SEE ALSO"]);
                roff.text([roman("atrium(1): exit codes, configuration, environment, output")]);
            }
            Some(heading) => {
                roff.control("SH", [heading.to_uppercase().as_str()]).control("nf", []);
            }
            None => {
                roff.text([roman(line.strip_prefix("  ").unwrap_or(line))]);
            }
        }
    }
    roff
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("share/man1");
        let pages = write_pages(&place).unwrap();
        assert_eq!(fs::read_dir(&place).unwrap().count(), pages);
        let page = |name: &str| fs::read_to_string(place.join(name)).unwrap();
        let main = page("atrium.1");
        for part in [".SH \"EXIT CODES\"", ".SH ENVIRONMENT", "ATRIUM_LISTEN", "atrium\\-tenant(1)"] {
            assert!(main.contains(part), "{part}: {main}");
        }
        let create = page("atrium-tenant-create.1");
        for part in
            [".TH atrium-tenant-create 1", ".SH REQUIRED", ".SH \"SEE ALSO\"", ".SH EXAMPLES", "atrium tenant create "]
        {
            assert!(create.contains(part), "{part}: {create}");
        }
    }
}
