//! Firecracker's description of its own interface, and whether a request is one that it
//! describes: the path, the verb, and every field of the body.

use std::path::PathBuf;

use serde_json::{Value, json};
use yaml_rust2::{Yaml, YamlLoader};

/// The description.
pub(crate) struct Description(Yaml);

impl Description {
    /// Where the description is kept, if it is.
    pub(crate) fn file() -> Option<PathBuf> {
        let repository = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
        let file = repository.join("../shared/cases/firecracker/firecracker.yaml");
        file.exists().then_some(file)
    }

    pub(crate) fn read() -> Self {
        let text = std::fs::read_to_string(Self::file().unwrap()).unwrap();
        Self(YamlLoader::load_from_str(&text).unwrap().remove(0))
    }

    /// Whether a request is described.
    pub(crate) fn check(&self, verb: &str, path: &str, body: &str) -> Result<(), String> {
        let (template, item) = self.path(path).ok_or_else(|| format!("there is no {path}"))?;
        let call = &item[verb.to_lowercase().as_str()];
        if call.is_badvalue() {
            return Err(format!("{template} has no {verb}"));
        }
        let mut parameters = call["parameters"].as_vec().into_iter().flatten();
        let Some(told) = parameters.find(|one| one["in"].as_str() == Some("body")) else {
            return if body.is_empty() {
                Ok(())
            } else {
                Err(format!("{verb} {path} has no body"))
            };
        };
        let body: Value = match body {
            "" if told["required"].as_bool() == Some(true) => {
                return Err(format!("{verb} {path} lacks its body"));
            }
            "" => return Ok(()),
            text => serde_json::from_str(text).map_err(|error| error.to_string())?,
        };
        // What stands in the path stands in the body once more.
        let named =
            template.split('/').zip(path.split('/')).find(|(part, _)| part.starts_with('{'));
        if let Some((part, name)) = named
            && let Some(again) = body.get(part.trim_matches(['{', '}']))
            && again != name
        {
            return Err(format!("{path} speaks of {again}"));
        }
        self.fits(&told["schema"], &body, path)
    }

    /// The description of a path, whose parts in braces stand for anything.
    fn path(&self, path: &str) -> Option<(&str, &Yaml)> {
        let paths = self.0["paths"].as_hash().unwrap();
        let fits = |template: &str| {
            let (told, asked): (Vec<_>, Vec<_>) =
                (template.split('/').collect(), path.split('/').collect());
            let same = |(told, asked): (&&str, &&str)| told.starts_with('{') || told == asked;
            told.len() == asked.len() && told.iter().zip(&asked).all(same)
        };
        let mut all = paths.iter().map(|(name, item)| (name.as_str().unwrap(), item));
        all.find(|(template, _)| fits(template))
    }

    /// Whether a value is what a schema says.
    fn fits(&self, schema: &Yaml, value: &Value, at: &str) -> Result<(), String> {
        if let Some(name) = schema["$ref"].as_str() {
            let name = name.strip_prefix("#/definitions/").unwrap();
            return self.fits(&self.0["definitions"][name], value, at);
        }
        if let Some(words) = schema["enum"].as_vec()
            && !words.iter().any(|word| word.as_str() == value.as_str())
        {
            return Err(format!("{at} is none of its words: {value}"));
        }
        let kind = schema["type"].as_str().unwrap_or("object");
        let right = match kind {
            "object" => value.is_object(),
            "integer" => value.is_i64() || value.is_u64(),
            "string" => value.is_string(),
            "boolean" => value.is_boolean(),
            "array" => value.is_array(),
            _ => panic!("a kind that is not known here: {kind}"),
        };
        if !right {
            return Err(format!("{at} is no {kind}: {value}"));
        }
        let number = value.as_i64().unwrap_or_default();
        let (least, most) = (schema["minimum"].as_i64(), schema["maximum"].as_i64());
        if kind == "integer"
            && (least.is_some_and(|least| number < least) || most.is_some_and(|most| number > most))
        {
            return Err(format!("{at} is out of bounds: {number}"));
        }
        for item in value.as_array().into_iter().flatten() {
            self.fits(&schema["items"], item, at)?;
        }
        if let Some(fields) = value.as_object() {
            for name in schema["required"].as_vec().into_iter().flatten() {
                let name = name.as_str().unwrap();
                if !fields.contains_key(name) {
                    return Err(format!("{at} lacks {name}"));
                }
            }
            for (name, field) in fields {
                let told = &schema["properties"][name.as_str()];
                if told.is_badvalue() {
                    return Err(format!("{at} has no {name}"));
                }
                self.fits(told, field, &format!("{at} {name}"))?;
            }
        }
        Ok(())
    }
}

#[test]
fn what_the_description_does_not_have_is_refused() {
    if Description::file().is_none() {
        println!("skipped: no shared cases");
        return;
    }
    let description = Description::read();
    let put = |path: &str, body: Value| description.check("PUT", path, &body.to_string());
    put("/machine-config", json!({"vcpu_count": 1, "mem_size_mib": 128})).unwrap();
    put("/drives/a", json!({"drive_id": "a", "is_root_device": false})).unwrap();
    description.check("GET", "/version", "").unwrap();
    for (path, wrong) in [
        ("/machine-config", json!({"vcpu_count": 1})),
        ("/machine-config", json!({"vcpu_count": 0, "mem_size_mib": 128})),
        ("/machine-config", json!({"vcpu_count": "1", "mem_size_mib": 128})),
        ("/machine-config", json!({"vcpu_count": 1, "mem_size_mib": 128, "odd": 1})),
        ("/actions", json!({"action_type": "Dance"})),
        ("/drives/a", json!({"drive_id": "b", "is_root_device": false})),
        ("/nothing", json!({})),
    ] {
        assert!(put(path, wrong.clone()).is_err(), "{path} {wrong}");
    }
    assert!(description.check("PATCH", "/boot-source", "{}").is_err());
    assert!(description.check("PUT", "/actions", "").is_err());
}
