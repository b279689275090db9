//! Makes archives by hand, right ones and wrong ones.

use std::io::Write;

/// A tape archive in the making.
#[derive(Clone, Default)]
pub(crate) struct Tar(pub(crate) Vec<u8>);

/// One header of a tape archive.
#[derive(Clone, Copy)]
pub(crate) struct Header<'a> {
    pub(crate) name: &'a [u8],
    pub(crate) prefix: &'a [u8],
    pub(crate) flag: u8,
    pub(crate) link: &'a [u8],
    pub(crate) mode: &'a str,
    /// The size it tells; that of the content if it tells none.
    pub(crate) size: Option<&'a [u8]>,
    pub(crate) magic: &'a [u8],
}

pub(crate) const PLAIN: Header<'_> = Header {
    name: b"f",
    prefix: b"",
    flag: b'0',
    link: b"",
    mode: "0000644",
    size: None,
    magic: b"ustar\x0000",
};

impl Tar {
    pub(crate) fn put(mut self, header: Header<'_>, content: &[u8]) -> Self {
        let mut block = [0_u8; 512];
        let mut set = |at: usize, bytes: &[u8]| block[at..at + bytes.len()].copy_from_slice(bytes);
        set(0, &header.name[..header.name.len().min(100)]);
        set(100, header.mode.as_bytes());
        set(108, b"0000000");
        set(116, b"0000000");
        let size = format!("{:011o}", content.len());
        set(124, header.size.unwrap_or(size.as_bytes()));
        set(136, b"00000000017");
        set(148, b"        ");
        set(156, &[header.flag]);
        set(157, &header.link[..header.link.len().min(100)]);
        set(257, header.magic);
        set(345, header.prefix);
        let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
        block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        self.0.extend_from_slice(&block);
        self.0.extend_from_slice(content);
        self.0.resize(self.0.len().next_multiple_of(512), 0);
        self
    }

    pub(crate) fn file(self, name: impl AsRef<[u8]>, content: impl AsRef<[u8]>) -> Self {
        self.put(Header { name: name.as_ref(), ..PLAIN }, content.as_ref())
    }

    pub(crate) fn dir(self, name: impl AsRef<[u8]>) -> Self {
        let mode = "0000755";
        self.put(Header { name: name.as_ref(), flag: b'5', mode, ..PLAIN }, b"")
    }

    pub(crate) fn link(self, name: impl AsRef<[u8]>, target: impl AsRef<[u8]>) -> Self {
        let (name, link) = (name.as_ref(), target.as_ref());
        self.put(Header { name, flag: b'2', link, ..PLAIN }, b"")
    }

    pub(crate) fn hard_link(self, name: impl AsRef<[u8]>, of: impl AsRef<[u8]>) -> Self {
        let (name, link) = (name.as_ref(), of.as_ref());
        self.put(Header { name, flag: b'1', link, ..PLAIN }, b"")
    }

    /// Extended records for the next entry.
    pub(crate) fn pax(self, records: &[(&str, &[u8])]) -> Self {
        self.records(b'x', records)
    }

    pub(crate) fn records(self, flag: u8, records: &[(&str, &[u8])]) -> Self {
        let mut content = Vec::new();
        for (key, value) in records {
            let rest = key.len() + value.len() + 3;
            let length = (rest + 1..).find(|all| rest + all.to_string().len() == *all).unwrap();
            content.extend_from_slice(format!("{length} {key}=").as_bytes());
            content.extend_from_slice(value);
            content.push(b'\n');
        }
        self.put(Header { name: b"records", flag, ..PLAIN }, &content)
    }

    pub(crate) fn end(mut self) -> Vec<u8> {
        self.0.resize(self.0.len() + 1024, 0);
        self.0
    }
}

pub(crate) fn zst(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 3).unwrap();
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A zip file in the making.
#[derive(Clone, Default)]
pub(crate) struct Zip {
    pub(crate) bytes: Vec<u8>,
    pub(crate) central: Vec<u8>,
    pub(crate) count: u16,
}

/// One entry of a zip file, as its header and the directory tell it.
#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) name: Vec<u8>,
    pub(crate) local_name: Option<Vec<u8>>,
    pub(crate) mode: u32,
    pub(crate) made_by: u8,
    pub(crate) bits: u16,
    pub(crate) method: u16,
    /// What stands in the file.
    pub(crate) data: Vec<u8>,
    pub(crate) size: u32,
    pub(crate) sum: u32,
    pub(crate) extra: Vec<u8>,
    /// What stands behind the content.
    pub(crate) tail: Vec<u8>,
    pub(crate) offset: Option<u32>,
}

impl Entry {
    pub(crate) fn new(name: impl AsRef<[u8]>, content: impl AsRef<[u8]>) -> Self {
        let content = content.as_ref();
        Self {
            name: name.as_ref().to_vec(),
            local_name: None,
            mode: 0o100_644,
            made_by: 3,
            bits: 0,
            method: 0,
            data: content.to_vec(),
            size: u32::try_from(content.len()).unwrap(),
            sum: crc32fast::hash(content),
            extra: Vec::new(),
            tail: Vec::new(),
            offset: None,
        }
    }

    pub(crate) fn deflated(name: impl AsRef<[u8]>, content: &[u8]) -> Self {
        let mut encoder =
            flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(content).unwrap();
        let data = encoder.finish().unwrap();
        Self { method: 8, data, ..Self::new(name, content) }
    }
}

impl Zip {
    pub(crate) fn put(mut self, entry: &Entry) -> Self {
        let at = u32::try_from(self.bytes.len()).unwrap();
        self.local(entry);
        self.listed(entry, entry.offset.unwrap_or(at))
    }

    /// Only what stands before the directory.
    pub(crate) fn local(&mut self, entry: &Entry) {
        let name = entry.local_name.as_ref().unwrap_or(&entry.name);
        let later = entry.bits & 8 != 0;
        let out = &mut self.bytes;
        out.extend_from_slice(b"PK\x03\x04");
        put16(out, &[20, entry.bits, entry.method, 0, 0x21]);
        let sum = if later { 0 } else { entry.sum };
        let packed = u32::try_from(entry.data.len()).unwrap();
        put32(out, &[sum, if later { 0 } else { packed }, if later { 0 } else { entry.size }]);
        put16(out, &[u16::try_from(name.len()).unwrap(), 0]);
        out.extend_from_slice(name);
        out.extend_from_slice(&entry.data);
        out.extend_from_slice(&entry.tail);
    }

    /// Only what stands in the directory.
    pub(crate) fn listed(mut self, entry: &Entry, offset: u32) -> Self {
        let out = &mut self.central;
        out.extend_from_slice(b"PK\x01\x02");
        out.extend_from_slice(&[20, entry.made_by]);
        put16(out, &[20, entry.bits, entry.method, 0, 0x21]);
        put32(out, &[entry.sum, u32::try_from(entry.data.len()).unwrap(), entry.size]);
        let lengths = [entry.name.len(), entry.extra.len()];
        put16(out, &lengths.map(|length| u16::try_from(length).unwrap()));
        put16(out, &[0, 0, 0]);
        put32(out, &[entry.mode << 16, offset]);
        out.extend_from_slice(&entry.name);
        out.extend_from_slice(&entry.extra);
        self.count += 1;
        self
    }

    pub(crate) fn end(self) -> Vec<u8> {
        self.end_with(b"")
    }

    pub(crate) fn end_with(mut self, comment: &[u8]) -> Vec<u8> {
        let start = u32::try_from(self.bytes.len()).unwrap();
        self.bytes.extend_from_slice(&self.central);
        let out = &mut self.bytes;
        out.extend_from_slice(b"PK\x05\x06");
        put16(out, &[0, 0, self.count, self.count]);
        put32(out, &[u32::try_from(self.central.len()).unwrap(), start]);
        put16(out, &[u16::try_from(comment.len()).unwrap()]);
        out.extend_from_slice(comment);
        self.bytes
    }
}

pub(crate) fn put16(out: &mut Vec<u8>, values: &[u16]) {
    out.extend(values.iter().flat_map(|value| value.to_le_bytes()));
}

pub(crate) fn put32(out: &mut Vec<u8>, values: &[u32]) {
    out.extend(values.iter().flat_map(|value| value.to_le_bytes()));
}
