//! Whether a rule covers anything in a tree.

use garth_contract::WsPath;
use garth_search::{Fold, Rules, Stands};
use rustix::io::Errno;

use crate::descend::{Enter, Step, Visitor};

/// Looks whether a rule covers anything it meets.
pub(crate) struct Covered<'a> {
    rules: &'a Rules,
    fold: Fold,
    base: &'a [u8],
    pub(crate) found: bool,
}

impl<'a> Covered<'a> {
    /// Judges what it meets as if the top of the walk were at `path`.
    pub(crate) fn new(rules: &'a Rules, fold: Fold, path: &'a WsPath) -> Self {
        Self { rules, fold, base: path.as_bytes(), found: false }
    }

    fn look(&mut self, step: &Step<'_>, stands: Stands) -> Enter {
        let path = [self.base, step.below].concat();
        self.found = self.found
            || self.rules.denies(&path, self.fold, stands)
            || self.rules.protects(&path, self.fold);
        if self.found { Enter::Past } else { Enter::In }
    }
}

impl Visitor for Covered<'_> {
    fn entry(&mut self, step: &Step<'_>) -> Result<(), Errno> {
        self.look(step, Stands::Other);
        Ok(())
    }

    fn enter(&mut self, step: &Step<'_>) -> Result<Enter, Errno> {
        Ok(self.look(step, Stands::Dir))
    }

    fn leave(&mut self, _: &Step<'_>) -> Result<(), Errno> {
        Ok(())
    }
}
