//! A section of a prompt: what a model works with, and the tools for it.

use std::{fmt::Write as _, sync::Arc};

use garth_contract::{Code, Error, Result};
use garth_ops::{Dialect, Needs};

use crate::{Backend, Bounds, Described, Place, Registry, Session, Setup, instructions};

/// A section of a prompt.
#[derive(Clone)]
pub struct Section {
    /// What its heading says.
    pub title: String,
    /// What programs call it.
    pub key: String,
    /// How a model works with it, in Markdown.
    pub instructions: String,
    /// The tools that make sense on these files, in order.
    pub tools: Vec<Described>,
    dialect: &'static Dialect,
    setup: Setup,
}

impl Section {
    /// The section `vfs`: seven tools on files that are usually in RAM, and none for
    /// commands.
    ///
    /// # Errors
    /// `UNSUPPORTED` in a build without the dialect `vfs`.
    pub fn vfs(setup: Setup) -> Result<Self> {
        let backend = setup.backend.without_commands();
        Self::named("vfs", "Virtual Filesystem", Setup { backend, ..setup })
    }

    /// The section `podman`: the tools of `vfs`, and `shell` and `eval`, which run
    /// commands where the backend does.
    ///
    /// # Errors
    /// `UNSUPPORTED` where the backend runs no commands, and in a build without the
    /// dialect `vfs`.
    pub fn podman(setup: Setup) -> Result<Self> {
        let section = Self::named("vfs", "Sandbox", setup)?;
        if !section.tools.iter().any(|tool| tool.needs == Needs::Run) {
            return Err(Error::new(Code::Unsupported, "the section podman runs commands")
                .hint("Give the backend a place to run them, with Backend::running."));
        }
        Ok(Self { key: "podman".to_owned(), ..section })
    }

    /// The section `workspace`: the tools of the default dialect.
    ///
    /// # Errors
    /// `UNSUPPORTED` in a build without the dialect `workspace`.
    pub fn workspace(setup: Setup) -> Result<Self> {
        Self::named("workspace", "Workspace", setup)
    }

    fn named(key: &str, title: &str, setup: Setup) -> Result<Self> {
        let dialect = garth_ops::dialect(key)
            .ok_or_else(|| Error::new(Code::Unsupported, format!("there is no dialect {key}")))?;
        Ok(Self { title: title.to_owned(), ..Self::of(dialect, setup) })
    }

    /// A section of any dialect, under its name.
    ///
    /// Where nothing can be written, the tools that write are left out, and where no
    /// commands run, those that run them.
    #[must_use]
    pub fn of(dialect: &'static Dialect, setup: Setup) -> Self {
        let place = Place {
            abilities: setup.backend.abilities(),
            policy: setup.backend.policy(),
            limits: &setup.limits,
            commands: setup.backend.commands(),
            git: false,
        };
        let tools = dialect.tools.iter().filter(|tool| tool.needs.met(place.allows()));
        Self {
            title: "Files".to_owned(),
            key: dialect.name.to_owned(),
            instructions: instructions(dialect, place),
            tools: tools.map(|tool| Described::of(tool)).collect(),
            dialect,
            setup,
        }
    }

    /// Where its files are.
    #[must_use]
    pub fn backend(&self) -> &Backend {
        &self.setup.backend
    }

    /// Registers its tools, or, after an error, none of them.
    ///
    /// # Errors
    /// `INVALID_PARAMS` when one of the names is taken.
    pub fn register(&self, registry: &mut Registry) -> Result<()> {
        let wanted = |name: &str| self.tools.iter().any(|tool| tool.name == name);
        let tools = self.dialect.tools.iter().filter(|tool| wanted(tool.name));
        registry.add_rows(tools)
    }

    /// A session with the tools of this section, on its files.
    ///
    /// # Errors
    /// Those of [`Session::new`].
    pub fn session(&self, bounds: Bounds) -> Result<Session> {
        let mut registry = Registry::new(bounds);
        self.register(&mut registry)?;
        Session::new(Arc::new(registry), self.setup.clone())
    }

    /// The section as Markdown: a heading, the instructions, the names of the tools.
    #[must_use]
    pub fn render(&self) -> String {
        let mut page = format!("## {}\n\n{}\n", self.title, self.instructions.trim_end());
        let names: Vec<_> = self.tools.iter().map(|tool| format!("`{}`", tool.name)).collect();
        if !names.is_empty() {
            let _ = write!(page, "\nTools: {}.\n", names.join(", "));
        }
        page
    }
}
