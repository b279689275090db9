//! The provider `none`: no commands.

use garth_contract::Result;

use super::{NONE, Opened, Wanted};

pub(super) struct Provider;

impl super::Provider for Provider {
    fn name(&self) -> &'static str {
        NONE
    }

    fn open(&self, _: &Wanted<'_>) -> Result<Opened> {
        Ok(Opened::nowhere())
    }
}
