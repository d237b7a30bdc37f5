//! `atrium completions`: prints the script that completes the command line in a shell.

use clap_complete::Shell;

use crate::cli::{help, prelude::*};

#[derive(Clone, Copy, Debug, Args)]
#[command(after_help = "Examples:
  atrium completions bash
  atrium completions zsh
  atrium completions fish")]
pub struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

impl Completions {
    /// Prints the script.
    pub fn run(self) -> Result<(), Failure> {
        print_text(self.script()?.trim_end())
    }

    fn script(self) -> Result<String, Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut help::command(), "atrium", &mut script);
        String::from_utf8(script).map_err(Failure::internal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::machine::program::program;

    #[test]
    fn bash_completes_commands_and_options() {
        let script = Completions { shell: Shell::Bash }.script().unwrap();
        for (words, found) in [
            ("atrium ten", "tenant"),
            ("atrium tenant create --owner-em", "--owner-email"),
            ("atrium completions z", "zsh"),
        ] {
            let last = words.rsplit(' ').next().unwrap();
            let before = words.split(' ').nth_back(1).unwrap();
            let ask = format!(
                "{script}\nCOMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
                 _atrium atrium {last} {before}; echo \"${{COMPREPLY[@]}}\""
            );
            let output = program("bash").args(["--norc", "-c", &ask]).output().unwrap();
            let answer = String::from_utf8(output.stdout).unwrap();
            assert!(answer.split_whitespace().any(|word| word == found), "{words}: {answer:?}");
        }
    }

    #[test]
    fn other_shells_get_a_script_of_their_own() {
        for (shell, head) in [(Shell::Zsh, "#compdef atrium"), (Shell::Fish, "# Print an optspec")] {
            let script = Completions { shell }.script().unwrap();
            assert!(script.starts_with(head) && script.contains("set-password"), "{shell}");
        }
    }
}
