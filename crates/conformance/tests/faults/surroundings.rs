//! What is around a naive workspace: the same tree, without rules or faults.

use std::{collections::BTreeMap, sync::Arc};

use garth_conformance::{
    Arranged, Beyond, Cannot, Outside,
    model::{Node, Tree},
};
use garth_contract::{DynFilesystem, Kind, Policy, WsPath};

use crate::{
    naive::{BEYOND, Naive, ROOT, Shared},
    watch::{behind, put},
};

/// The hand behind a naive workspace's back.
pub(crate) struct Surroundings {
    shared: Arc<Shared>,
    fault: Option<crate::Fault>,
}

impl Surroundings {
    pub(crate) fn of(naive: &Naive) -> Self {
        Self { shared: Arc::clone(&naive.shared), fault: naive.fault }
    }

    /// Makes a change that watchers hear of, with whatever fault they have.
    fn change(&self, change: impl FnOnce(&mut Tree)) -> Arranged {
        let naive = Naive::on(Arc::clone(&self.shared), Policy::open(), self.fault).unwrap();
        behind(&naive, change);
        Ok(())
    }

    fn put(&self, at: &WsPath, node: Node) -> Arranged {
        self.change(|tree| put(tree, at, node))
    }
}

impl Outside for Surroundings {
    fn write(&self, at: &WsPath, content: &[u8]) -> Arranged {
        let content = content.to_vec().into();
        self.change(|tree| {
            tree.clock += 1;
            put(tree, at, Node::File { content, mode: None, stamp: tree.clock });
        })
    }

    fn symlink(&self, at: &WsPath, target: &[u8]) -> Arranged {
        self.put(at, Node::Link(target.to_vec()))
    }

    fn fifo(&self, at: &WsPath) -> Arranged {
        self.put(at, Node::Special(Kind::Fifo))
    }

    fn socket(&self, at: &WsPath) -> Arranged {
        self.put(at, Node::Special(Kind::Socket))
    }

    fn device(&self, at: &WsPath) -> Arranged {
        self.put(at, Node::Special(Kind::Device))
    }

    fn remove(&self, at: &WsPath) -> Arranged {
        self.change(|tree| tree.nodes.retain(|path, _| path.below(at).is_none()))
    }

    fn exchange(&self, one: &WsPath, other: &WsPath) -> Arranged {
        let mut exchanged = false;
        self.change(|tree| {
            exchanged = tree.get(one).is_some() && tree.get(other).is_some();
            if exchanged {
                let between = WsPath::root().join(b"between").unwrap();
                tree.carry(one, &between);
                tree.carry(other, one);
                tree.carry(&between, other);
            }
        })?;
        exchanged.then_some(()).ok_or(Cannot("exchange what is not there"))
    }

    fn set_modified(&self, at: &WsPath, seconds: u64) -> Arranged {
        match self.shared.tree.lock().unwrap().nodes.get_mut(at) {
            Some(Node::File { stamp, .. }) => *stamp = seconds,
            _ => return Err(Cannot("set the time of what is no file")),
        }
        Ok(())
    }

    fn absolute(&self, inside: &WsPath) -> Arranged<Vec<Vec<u8>>> {
        Ok(vec![[ROOT, b"/", inside.as_bytes()].concat()])
    }

    fn beyond(&self) -> Arranged<Beyond> {
        Ok(Beyond { absolute: BEYOND.to_vec(), relative: b"../beyond".to_vec() })
    }

    fn beyond_now(&self) -> Arranged<BTreeMap<Vec<u8>, Vec<u8>>> {
        Ok(self.shared.beyond.lock().unwrap().clone())
    }

    fn everything(&self) -> Arranged<Vec<Vec<u8>>> {
        let tree = self.shared.tree.lock().unwrap();
        Ok(tree.nodes.keys().map(|path| path.as_bytes().to_vec()).collect())
    }

    fn open_again(&self, policy: Policy) -> Arranged<Arc<dyn DynFilesystem>> {
        Ok(Arc::new(Naive::on(Arc::clone(&self.shared), policy, None).unwrap()))
    }
}
