//! Where a workspace sits inside its sandbox, and who lives there.

/// Where a workspace sits inside its sandbox.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Seat {
    /// At `/workspace`, beside a private home directory; the guest serves it alone.
    #[default]
    Workspace,
    /// It is the home directory, and the guest serves the whole tree of the sandbox,
    /// whose root is the fence.
    Home,
}

impl Seat {
    /// Where the workspace is inside.
    #[must_use]
    pub const fn workspace(self) -> &'static str {
        match self {
            Self::Workspace => "/workspace",
            Self::Home => "/home/user",
        }
    }

    /// The home directory of whoever runs inside.
    #[must_use]
    pub const fn home(self) -> &'static str {
        match self {
            Self::Workspace => "/home/garth",
            Self::Home => "/home/user",
        }
    }

    /// What whoever runs inside is called.
    #[must_use]
    pub const fn user(self) -> &'static str {
        match self {
            Self::Workspace => "garth",
            Self::Home => "user",
        }
    }

    /// The directory that the guest serves.
    #[must_use]
    pub const fn served(self) -> &'static str {
        match self {
            Self::Workspace => "/workspace",
            Self::Home => "/",
        }
    }
}
