//! The keys of the E2B interface.

use super::keys::{Key, key};
use crate::{
    providers::{self, System},
    serve::e2b::Template,
};

pub(super) fn keys() -> Vec<Key> {
    vec![
        key("e2b.enabled", "whether SDKs of E2B are answered", |settings, given| {
            settings.e2b.enabled = given.switch()?;
            Ok(())
        }),
        key("e2b.provider", "where the commands of a new sandbox run", |settings, given| {
            let name = given.text()?;
            providers::check_name(&name).map_err(|error| error.message().to_owned())?;
            settings.e2b.provider = name;
            Ok(())
        }),
        key(
            "e2b.templates",
            "names of templates with what each stands for: NAME=PATH, or NAME=PROVIDER:PATH-OR-IMAGE",
            |settings, given| {
                let texts = given.texts()?;
                let templates = texts.iter().map(|text| Template::parse(text)).collect();
                let templates: Option<Vec<_>> = templates;
                settings.e2b.templates = templates.ok_or("must hold texts such as base=/")?;
                Ok(())
            },
        ),
        key(
            "e2b.system",
            "whether local sandboxes can change the system for themselves: own or shown",
            |settings, given| {
                let system = given.one_of(&[("own", System::Own), ("shown", System::Shown)])?;
                settings.containers.system = system;
                settings.e2b.system = system;
                Ok(())
            },
        ),
        key("e2b.sandboxes", "how many sandboxes there may be", |settings, given| {
            settings.e2b.most = given.count()?;
            Ok(())
        }),
        key(
            "e2b.longest",
            "how long a sandbox may live after its last renewal",
            |settings, given| {
                settings.e2b.longest = given.time()?.ok_or("must be a time such as 24h")?;
                Ok(())
            },
        ),
        key(
            "e2b.interpreter",
            "the Python that runs code, as a sandbox knows it; it needs IPython",
            |settings, given| {
                settings.e2b.interpreter = given.text()?;
                Ok(())
            },
        ),
    ]
}
