//! Raw text in, clean text out.
//!
//! What comes out of a workspace is [`Raw`]; what may leave is [`Clean`]. A [`Redactor`] is the
//! way from one to the other: it finds secrets by one table of rules, in one pass and linear time,
//! and puts a placeholder where each stood. No IO, no clock, no other crate of the workspace.
//!
//! ```
//! use garth_redact::{Config, Raw, Redactor};
//!
//! let redactor = Redactor::new(&Config::standard())?;
//! let redaction = redactor.clean(Raw::from("password = \"hunter2\"\n"))?;
//! assert_eq!(redaction.clean.as_ref(), "password = \"[REDACTED: DATABASE_PASSWORD]\"\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod assigned;
mod candidate;
mod class;
mod clean;
mod config;
mod custom;
mod head;
mod judge;
mod keyword;
mod lexicon;
mod memo;
mod near;
mod number;
mod placeholder;
mod prefixed;
mod raw;
mod redactor;
mod rules;
mod ruleset;
mod scan;
mod seen;
mod stream;
mod tail;
mod view;

pub use clean::{Clean, CleanWriter, Plain};
pub use config::{BadPattern, Behaviour, Config, CustomPattern};
pub use placeholder::{Placeholder, placeholders};
pub use raw::{Permit, Raw};
pub use redactor::{Blocked, Outcome, Redaction, Redactor, Span};
pub use rules::{Known, known};
pub use seen::Digested;
pub use stream::Stream;
