//! A caller of the methods: what it asks, and what it remembers.

use garth_contract::{Code, Error, Result};
use garth_ops::worktree::{Ask, Recall, method};
use garth_redact::Permit;
use serde_json::{Map, Value};

use crate::{
    shape::check,
    stage::{Ground, Setting, Stage, wait},
};

/// A caller of a workspace.
pub(crate) struct Asking {
    pub(crate) stage: Stage,
    pub(crate) shown: Recall,
    pub(crate) permit: Option<Permit>,
}

/// Plays a scene on every ground.
pub(crate) fn everywhere(files: &[(&str, &str)], scene: impl Fn(&Asking)) {
    everywhere_in(Setting::usual, files, scene);
}

/// The same with stages of another setting.
pub(crate) fn everywhere_in(
    setting: impl Fn() -> Setting,
    files: &[(&str, &str)],
    scene: impl Fn(&Asking),
) {
    for ground in [Ground::Memory, Ground::Host] {
        scene(&Asking::on(Stage::new(ground, files, setting())));
    }
}

impl Asking {
    pub(crate) fn on(stage: Stage) -> Self {
        Self { stage, shown: Recall::new(), permit: None }
    }

    /// Calls a method with exactly these parameters; a reply must have its shape.
    pub(crate) fn raw(&self, name: &str, params: Value) -> Result<Map<String, Value>> {
        let method = method(&format!("worktree.{name}")).unwrap();
        let ask = Ask { params, permit: self.permit.as_ref(), shown: &self.shown };
        let reply = wait((method.run)(&self.stage.workspace, ask))?.into_facts();
        check(name, &(method.payload)().to_value(), &Value::Object(reply.clone()));
        Ok(reply)
    }

    /// Calls a method with these parameters and an agent's id.
    pub(crate) fn call(&self, name: &str, mut params: Value) -> Result<Map<String, Value>> {
        params["agentId"] = "agent-1".into();
        self.raw(name, params)
    }

    /// Calls a method that must succeed.
    pub(crate) fn ok(&self, name: &str, params: Value) -> Value {
        let shown = params.to_string();
        let reply = self.call(name, params);
        reply
            .map(Value::Object)
            .unwrap_or_else(|error| panic!("{:?} {name} {shown}: {error:?}", self.stage.ground))
    }

    /// Calls a method that must be refused with this code.
    pub(crate) fn refused(&self, code: Code, name: &str, params: Value) -> Error {
        let shown = params.to_string();
        match self.call(name, params) {
            Ok(reply) => panic!("{:?} {name} {shown}: {reply:?}", self.stage.ground),
            Err(error) => {
                let ground = self.stage.ground;
                assert_eq!(error.code(), code, "{ground:?} {name} {shown}: {error:?}");
                error
            }
        }
    }
}
