//! Puts the stretches of an archive together, in order, and writes its end.

use std::sync::Arc;

use bytes::Bytes;
use crc32fast::Hasher;
use garth_contract::Entry;

use super::{
    Packed, What,
    segment::{Part, Segment},
};
use crate::{Format, tar, zip};

/// An archive as far as it is written.
pub(super) struct Assembly {
    format: Format,
    pub(super) packed: Packed,
    /// How many bytes there are.
    offset: u64,
    /// The directory of a zip file; it grows with the tree, as it must.
    directory: Vec<u8>,
    count: u64,
    open: Option<Open>,
}

/// A large file of which some parts are written.
struct Open {
    record: Option<zip::Record>,
    sum: Hasher,
    packed: u64,
    changed: bool,
}

impl Assembly {
    pub(super) fn new(format: Format) -> Self {
        Self {
            format,
            packed: Packed::default(),
            offset: 0,
            directory: Vec::new(),
            count: 0,
            open: None,
        }
    }

    /// Takes the next stretch; gives what comes next in the archive.
    pub(super) fn take(&mut self, segment: Segment) -> Vec<Bytes> {
        let mut out = Vec::new();
        match segment {
            Segment::Several { bytes, records, packed, left: _, place: _place } => {
                self.packed.add(packed);
                for record in records {
                    self.enlist(record);
                }
                self.put(&mut out, bytes);
            }
            Segment::Part(entry, Part::Missing) => {
                self.open = None;
                self.packed.note(&entry.path, What::Unreadable);
            }
            Segment::Part(entry, Part::Read { header, bytes, sum, change, last }) => {
                if let Some((header, record)) = header {
                    let at = self.offset;
                    self.put(&mut out, header);
                    let record = record.map(|mut record| {
                        record.offset = at;
                        record
                    });
                    let (sum, packed) = (Hasher::new(), 0);
                    self.open = Some(Open { record, sum, packed, changed: false });
                }
                // Without one, the first part could not be read.
                if let Some(mut open) = self.open.take() {
                    open.sum.combine(&sum);
                    open.packed += bytes.len() as u64;
                    open.changed |= change.is_some();
                    self.put(&mut out, bytes);
                    if last {
                        self.close(&mut out, &entry, open);
                    } else {
                        self.open = Some(open);
                    }
                }
            }
        }
        out
    }

    fn close(&mut self, out: &mut Vec<Bytes>, entry: &Arc<Entry>, open: Open) {
        self.packed.files += 1;
        self.packed.bytes += entry.size;
        if open.changed {
            self.packed.note(&entry.path, What::Changed);
        }
        let mut tail = Vec::new();
        match open.record {
            None => tail.resize(tar::padding(entry.size), 0),
            Some(mut record) => {
                zip::descriptor(&mut tail, &mut record, open.sum, open.packed);
                record.put(&mut self.directory);
                self.count += 1;
            }
        }
        self.put(out, tail.into());
    }

    /// Enters what stands in the stretch that comes next into the directory.
    fn enlist(&mut self, mut record: zip::Record) {
        record.offset += self.offset;
        record.put(&mut self.directory);
        self.count += 1;
    }

    fn put(&mut self, out: &mut Vec<Bytes>, bytes: Bytes) {
        if !bytes.is_empty() {
            self.offset += bytes.len() as u64;
            out.push(bytes);
        }
    }

    /// What stands at the end.
    pub(super) fn end(&mut self) -> Vec<Bytes> {
        match self.format {
            Format::Tar | Format::TarZst => vec![tar::end().into()],
            Format::Zip => {
                let directory = std::mem::take(&mut self.directory);
                let end = zip::end(self.count, directory.len() as u64, self.offset);
                let pieces = [Bytes::from(directory), Bytes::from(end)];
                pieces.into_iter().filter(|bytes| !bytes.is_empty()).collect()
            }
        }
    }
}
