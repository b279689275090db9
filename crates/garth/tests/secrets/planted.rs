//! The secrets that are planted: one of each built-in rule, from the rule's own examples.

use garth_redact::{Config, Redactor, known};

/// A secret that is shorter may stand in a text by chance.
const LEAST: usize = 12;

/// A text with a secret of every rule, and the secrets.
pub(crate) struct Planted {
    pub(crate) text: String,
    secrets: Vec<(&'static str, String)>,
}

impl Planted {
    /// All of them in one text.
    pub(crate) fn new() -> Self {
        let mut text = String::from("begin\n");
        let mut secrets = Vec::new();
        for rule in known() {
            for (example, secret) in rule.examples {
                text.push_str(example);
                text.push_str("\nend of it\n");
                // A key of many lines would be told line by line.
                for line in secret.lines().flat_map(|line| line.split("\\n")) {
                    let telling = line.len() >= LEAST && !line.starts_with("---");
                    if telling && !line.contains(": ") {
                        secrets.push((rule.name, line.to_owned()));
                    }
                }
            }
        }
        let clean = Redactor::new(&Config::standard()).unwrap().clean(text.clone().into()).unwrap();
        // Made-up secrets are alike, and some stand openly beside another; those say nothing.
        let before = secrets.len();
        secrets.retain(|(_, secret)| !clean.clean.contains(secret.as_str()));
        assert!(secrets.len() * 10 >= before * 9, "{} of {before}", secrets.len());
        Self { text, secrets }
    }

    /// Names of files, of which each holds a secret, and how each may be shown.
    pub(crate) fn names(&self) -> Vec<(String, String)> {
        let redactor = Redactor::new(&Config::standard()).unwrap();
        let examples = known().flat_map(|rule| rule.examples.iter().map(|(example, _)| *example));
        let fits = |name: &&str| name.len() <= 200 && !name.contains(['/', '\n', '\\', '\0']);
        let mut names: Vec<(String, String)> = Vec::new();
        for name in examples.filter(fits) {
            let shown = redactor.clean(name.into()).unwrap().clean.to_string();
            let told = self.secrets.iter().any(|(_, secret)| shown.contains(secret.as_str()));
            let telling = self.secrets.iter().any(|(_, secret)| name.contains(secret.as_str()));
            let twice = names.iter().any(|(_, other)| *other == shown);
            if telling && !told && !twice && shown.len() <= 255 && name.trim() == name {
                names.push((name.to_owned(), shown));
            }
        }
        assert!(names.len() >= 100, "{}", names.len());
        names
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.secrets.len()
    }

    /// Fails where a secret stands in what left.
    pub(crate) fn is_nowhere_in(&self, place: &str, text: &str) {
        let told: Vec<_> =
            self.secrets.iter().filter(|(_, secret)| text.contains(secret.as_str())).collect();
        assert!(told.is_empty(), "{place} tells {told:?}");
    }
}
