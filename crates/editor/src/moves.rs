//! Removing and moving: beneath, with what the client's buffers make of it.

use bytes::Bytes;
use garth_contract::{Depth, Kind, Links, Move, Removed, Renamed, Result, Version, WsPath};

use crate::{
    Editor,
    known::Whose,
    look::{Seen, Unsaved},
    write::{to_its_end, unsaved_work},
};

/// What a client holds below a path.
#[derive(Default)]
struct Held {
    /// Every buffer that is known.
    buffers: Vec<(WsPath, Version)>,
    /// Texts that are only there.
    unsaved: Vec<(WsPath, Bytes, Whose)>,
}

impl Editor {
    pub(crate) async fn remove_entry(&self, path: &WsPath, depth: Depth) -> Result<Removed> {
        let turn = self.session.turn().await?;
        let (editor, path) = (self.clone(), path.clone());
        to_its_end(async move {
            let _turn = turn;
            let held = editor.held_at(&path).await;
            let removed = editor.beneath.remove(&path, depth).await?;
            editor.leave(&held);
            Ok(removed)
        })
        .await
    }

    pub(crate) async fn rename_entry(
        &self,
        from: &WsPath,
        to: &WsPath,
        how: Move,
    ) -> Result<Renamed> {
        let turn = self.session.turn().await?;
        let (editor, from, to) = (self.clone(), from.clone(), to.clone());
        to_its_end(async move {
            let _turn = turn;
            editor.rename_in_turn(&from, &to, how).await
        })
        .await
    }

    async fn rename_in_turn(&self, from: &WsPath, to: &WsPath, how: Move) -> Result<Renamed> {
        let source = self.resolve_entry(from).await.ok().flatten();
        let target = self.resolve_entry(to).await.ok().flatten();
        let (Some(source), Some(target)) = (source, target) else {
            return self.beneath.rename(from, to, how).await;
        };
        if source == target {
            return self.beneath.rename(from, to, how).await;
        }
        let (moved, replaced) = (self.held_at(from).await, self.held_at(to).await);
        if !self.session.offers().takes()
            && let Some((path, ..)) =
                moved.unsaved.iter().find(|(.., whose)| *whose == Whose::Theirs)
        {
            return Err(unsaved_work(path));
        }
        let renamed = self.beneath.rename(from, to, how).await?;
        self.leave(&replaced);
        self.leave(&moved);
        for (path, text, _) in moved.unsaved {
            let Some(below) = path.below(&source) else { continue };
            let below = WsPath::from_bytes(below)?;
            self.carry(&below.under(&target)?, text).await?;
        }
        Ok(renamed)
    }

    /// What the client holds at a path, and below it as far as that is known.
    ///
    /// A client that does not answer holds nobody up here: nothing of its is changed.
    async fn held_at(&self, path: &WsPath) -> Held {
        let mut held = Held::default();
        let Ok(Some(real)) = self.resolve_entry(path).await else { return held };
        let Ok(entry) = self.beneath.stat(&real, Links::Keep).await else { return held };
        let paths = match entry.kind {
            Kind::File => vec![real],
            Kind::Dir => self.known_below(&real),
            Kind::Symlink | Kind::Fifo | Kind::Socket | Kind::Device => Vec::new(),
        };
        for path in paths {
            let Ok(seen) = self.look(&path).await else { continue };
            held.buffers.extend(seen.held().map(|version| (path.clone(), version)));
            if let Seen::Unsaved(Unsaved { text, whose, .. }) = seen {
                held.unsaved.push((path, text, whose));
            }
        }
        held
    }

    /// Buffers that are known below a real path.
    pub(crate) fn known_below(&self, base: &WsPath) -> Vec<WsPath> {
        let known = self.session.known().paths();
        let inside = known.iter().filter_map(|name| self.root.back(name));
        inside.filter(|path| path.below(base).is_some()).collect()
    }

    fn leave(&self, held: &Held) {
        for (path, version) in &held.buffers {
            if let Some(name) = self.root.absolute(path) {
                self.session.known().leave(name, *version);
            }
        }
    }
}
