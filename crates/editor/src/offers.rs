//! What a client offered when the connection was negotiated.

use agent_client_protocol_schema::v1::{ClientCapabilities, FileSystemCapabilities};

/// Which texts a client takes part in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offers {
    /// None: every text is read and written beneath.
    Nothing,
    /// It gives texts; they are written beneath.
    Reading,
    /// It takes texts; they are read beneath.
    Writing,
    /// It gives and takes texts.
    Both,
}

impl Offers {
    /// What the capabilities of a client say.
    #[must_use]
    pub fn of(capabilities: &ClientCapabilities) -> Self {
        Self::of_files(&capabilities.fs)
    }

    /// What the part of them about files says.
    #[must_use]
    pub fn of_files(capabilities: &FileSystemCapabilities) -> Self {
        match (capabilities.read_text_file, capabilities.write_text_file) {
            (false, false) => Self::Nothing,
            (true, false) => Self::Reading,
            (false, true) => Self::Writing,
            (true, true) => Self::Both,
        }
    }

    /// Whether texts are read from the client.
    #[must_use]
    pub fn gives(self) -> bool {
        match self {
            Self::Reading | Self::Both => true,
            Self::Nothing | Self::Writing => false,
        }
    }

    /// Whether texts are written to the client.
    #[must_use]
    pub fn takes(self) -> bool {
        match self {
            Self::Writing | Self::Both => true,
            Self::Nothing | Self::Reading => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offer_is_what_was_negotiated() {
        let of = |read, write| {
            let files = FileSystemCapabilities::new().read_text_file(read).write_text_file(write);
            Offers::of(&ClientCapabilities::new().fs(files))
        };
        assert_eq!(of(false, false), Offers::Nothing);
        assert_eq!(of(true, false), Offers::Reading);
        assert_eq!(of(false, true), Offers::Writing);
        assert_eq!(of(true, true), Offers::Both);
        assert_eq!(Offers::of(&ClientCapabilities::default()), Offers::Nothing);
    }

    #[test]
    fn an_offer_gives_and_takes_what_it_says() {
        let all = [Offers::Nothing, Offers::Reading, Offers::Writing, Offers::Both];
        assert_eq!(all.map(Offers::gives), [false, true, false, true]);
        assert_eq!(all.map(Offers::takes), [false, false, true, true]);
    }
}
