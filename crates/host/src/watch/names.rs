//! The names that one watched directory is known to hold.
//!
//! A rename onto a name looks the same to inotify whether something was there
//! before or not; only who knows the names can tell a new file from a replaced
//! one. They are packed: a name costs its bytes and nine more, so that a tree of
//! a million files fits in some thirty megabytes.

use super::inotify::Wd;

/// How many names of one directory are remembered.
///
/// Beyond them a file that is replaced by a rename is reported as created. The
/// directories among the names are always remembered; the system bounds those.
const MAX_NAMES: usize = 1 << 16;

/// A set of names, some with the watch that is set on the directory there.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Each name with a byte for its length before it, in no order.
    text: Vec<u8>,
    /// Where each name begins, sorted by the names.
    slots: Vec<Slot>,
    /// How many bytes of `text` belong to removed names.
    waste: usize,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    at: u32,
    watch: Option<Wd>,
}

impl Names {
    /// Takes the names of a listing, in any order.
    pub(super) fn collect<'a>(names: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut all = Self::default();
        for name in names.take(MAX_NAMES) {
            if let Some(slot) = all.append(name) {
                all.slots.push(slot);
            }
        }
        let Self { text, slots, .. } = &mut all;
        slots.sort_unstable_by(|left, right| name_at(text, *left).cmp(name_at(text, *right)));
        slots.dedup_by(|left, right| name_at(text, *left) == name_at(text, *right));
        text.shrink_to_fit();
        slots.shrink_to_fit();
        all
    }

    pub(super) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    pub(super) fn contains(&self, name: &[u8]) -> bool {
        self.find(name).is_ok()
    }

    /// The watch on the directory of this name.
    pub(super) fn watch_of(&self, name: &[u8]) -> Option<Wd> {
        self.find(name).ok().and_then(|index| self.slots.get(index)).and_then(|slot| slot.watch)
    }

    /// Adds a name; one that is known, or one too many, changes nothing.
    pub(super) fn insert(&mut self, name: &[u8]) {
        if self.slots.len() < MAX_NAMES {
            self.slot_of(name);
        }
    }

    /// Sets or clears the watch of a name, which is added if need be.
    pub(super) fn set_watch(&mut self, name: &[u8], watch: Option<Wd>) {
        if let Some(slot) = self.slot_of(name) {
            slot.watch = watch;
        }
    }

    /// Removes a name and returns the watch it had.
    pub(super) fn remove(&mut self, name: &[u8]) -> Option<Wd> {
        let index = self.find(name).ok()?;
        let slot = self.slots.remove(index);
        self.waste += name.len() + 1;
        if self.waste > self.text.len() / 2 {
            self.compact();
        }
        slot.watch
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&[u8], Option<Wd>)> {
        self.slots.iter().map(|slot| (name_at(&self.text, *slot), slot.watch))
    }

    fn find(&self, name: &[u8]) -> Result<usize, usize> {
        self.slots.binary_search_by(|slot| name_at(&self.text, *slot).cmp(name))
    }

    fn slot_of(&mut self, name: &[u8]) -> Option<&mut Slot> {
        let index = match self.find(name) {
            Ok(index) => index,
            Err(index) => {
                let slot = self.append(name)?;
                self.slots.insert(index, slot);
                index
            }
        };
        self.slots.get_mut(index)
    }

    /// Writes a name into the text; `None` for one longer than any file system has.
    fn append(&mut self, name: &[u8]) -> Option<Slot> {
        let length = u8::try_from(name.len()).ok()?;
        let at = u32::try_from(self.text.len()).ok()?;
        self.text.push(length);
        self.text.extend_from_slice(name);
        Some(Slot { at, watch: None })
    }

    fn compact(&mut self) {
        let mut packed = Self::default();
        for (name, watch) in self.iter() {
            if let Some(slot) = packed.append(name) {
                packed.slots.push(Slot { watch, ..slot });
            }
        }
        *self = packed;
    }
}

fn name_at(text: &[u8], slot: Slot) -> &[u8] {
    let rest = usize::try_from(slot.at).ok().and_then(|at| text.get(at..)).unwrap_or_default();
    let Some((length, rest)) = rest.split_first() else { return &[] };
    rest.get(..usize::from(*length)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn wd(number: i32) -> Option<Wd> {
        Wd::new(number)
    }

    #[test]
    fn a_listing_is_found_name_by_name() {
        let names = Names::collect([&b"b"[..], b"a", b"", b"a", b"ab"].into_iter());
        let all: Vec<_> = names.iter().map(|(name, _)| name).collect();
        assert_eq!(all, [&b""[..], b"a", b"ab", b"b"]);
        assert!(names.contains(b"ab"));
        assert!(!names.contains(b"abc"));
    }

    #[test]
    fn a_name_too_long_for_any_file_system_is_left_out() {
        let names = Names::collect([&[b'x'; 256][..], &[b'y'; 255]].into_iter());
        assert_eq!(names.iter().count(), 1);
    }

    #[test]
    fn beyond_the_bound_only_directories_are_remembered() {
        let many: Vec<Vec<u8>> =
            (0..MAX_NAMES + 10).map(|number| format!("{number:08}").into_bytes()).collect();
        let mut names = Names::collect(many.iter().map(Vec::as_slice));
        assert_eq!(names.slots.len(), MAX_NAMES);
        names.insert(b"file");
        assert!(!names.contains(b"file"));
        names.set_watch(b"dir", wd(7));
        assert_eq!(names.watch_of(b"dir"), wd(7));
    }

    #[test]
    fn any_sequence_of_changes_agrees_with_a_map() {
        let mut names = Names::default();
        let mut model: BTreeMap<Vec<u8>, Option<Wd>> = BTreeMap::new();
        let mut state: u32 = 7;
        for _ in 0..20_000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let name = format!("{}", (state >> 8) % 200).into_bytes();
            match state >> 30 {
                0 => {
                    names.insert(&name);
                    model.entry(name).or_insert(None);
                }
                1 => {
                    let watch = wd(i32::try_from(state >> 20).unwrap());
                    names.set_watch(&name, watch);
                    model.insert(name, watch);
                }
                _ => assert_eq!(names.remove(&name), model.remove(&name).flatten()),
            }
        }
        let all: Vec<_> = names.iter().map(|(name, watch)| (name.to_vec(), watch)).collect();
        assert_eq!(all, model.into_iter().collect::<Vec<_>>());
        assert!(names.text.len() < 3_000, "removed names are packed away");
    }
}
