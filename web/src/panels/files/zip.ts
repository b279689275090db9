// Several zip archives as one, each in a folder of its own or at the top, without unpacking any of them.
//
// The gateway packs one path at a time; what was chosen in several places is put together here. Contents are copied as
// they are, only names become longer.

/** One archive, and what its names begin with in the whole. */
export interface Part {
  /** Such as "docs/", or nothing. */
  under: string;
  bytes: Uint8Array;
}

const LOCAL = 0x04034b50;
const LISTED = 0x02014b50;
const END = 0x06054b50;
const END_LENGTH = 22;
/** The bit that says that names are UTF-8. */
const UTF8 = 0x0800;
/** Numbers that are too large for an archive without its larger form. */
const MOST_ENTRIES = 0xffff;
const MOST_BYTES = 0xffffffff;

/** The bytes of the whole, in pieces that are copied as little as possible. Throws where one of them is no zip of a size that fits. */
export function joinedZip(parts: readonly Part[]): Uint8Array[] {
  const contents: Uint8Array[] = [];
  const list: Uint8Array[] = [];
  let at = 0;
  let entries = 0;
  for (const { under, bytes } of parts) {
    const prefix = new TextEncoder().encode(under);
    for (const entry of read(bytes)) {
      const header = renamed(bytes, entry.from, 30, 26, prefix);
      const rest = bytes.subarray(header.end, entry.to);
      const listed = renamed(bytes, entry.listed, 46, 28, prefix, entry.listedEnd);
      new DataView(listed.bytes.buffer).setUint32(42, at, true);
      contents.push(header.bytes, rest);
      list.push(listed.bytes);
      at += header.bytes.length + rest.length;
      entries += 1;
    }
  }
  const length = list.reduce((sum, one) => sum + one.length, 0);
  if (entries > MOST_ENTRIES || at + length > MOST_BYTES) throw new Error("together they are too many for one archive");
  const end = new Uint8Array(END_LENGTH);
  const view = new DataView(end.buffer);
  view.setUint32(0, END, true);
  view.setUint16(8, entries, true);
  view.setUint16(10, entries, true);
  view.setUint32(12, length, true);
  view.setUint32(16, at, true);
  return [...contents, ...list, end];
}

interface Entry {
  /** Where its own header begins and its content ends. */
  from: number;
  to: number;
  /** Where its line in the list begins and ends. */
  listed: number;
  listedEnd: number;
}

/** The entries of an archive, as its list at the end has them. */
function read(bytes: Uint8Array): Entry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const last = bytes.length - END_LENGTH;
  if (last < 0 || view.getUint32(last, true) !== END) throw new Error("an archive came that is not whole");
  const count = view.getUint16(last + 10, true);
  const begin = view.getUint32(last + 16, true);
  if (count === MOST_ENTRIES || begin === MOST_BYTES) throw new Error("a folder is too large to be packed with others");
  const entries: Entry[] = [];
  let at = begin;
  for (let index = 0; index < count; index += 1) {
    if (view.getUint32(at, true) !== LISTED) throw new Error("an archive came that is not whole");
    const listedEnd = at + 46 + view.getUint16(at + 28, true) + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    entries.push({ from: view.getUint32(at + 42, true), to: begin, listed: at, listedEnd });
    at = listedEnd;
  }
  // What lies between two headers belongs to the first, also what follows a content of unknown length.
  const inOrder = entries.toSorted((a, b) => a.from - b.from);
  inOrder.forEach((entry, index) => (entry.to = inOrder[index + 1]?.from ?? begin));
  for (const { from } of entries) if (view.getUint32(from, true) !== LOCAL) throw new Error("an archive came that is not whole");
  return entries;
}

/** A header with a longer name: `fixed` bytes, then the name, whose length stands at `lengthAt`, then what ends at `to`. */
function renamed(bytes: Uint8Array, from: number, fixed: number, lengthAt: number, prefix: Uint8Array, to?: number): { bytes: Uint8Array<ArrayBuffer>; end: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const name = view.getUint16(from + lengthAt, true);
  const end = to ?? from + fixed + name + view.getUint16(from + lengthAt + 2, true);
  const made = new Uint8Array(end - from + prefix.length);
  made.set(bytes.subarray(from, from + fixed));
  made.set(prefix, fixed);
  made.set(bytes.subarray(from + fixed, end), fixed + prefix.length);
  const header = new DataView(made.buffer);
  header.setUint16(lengthAt, name + prefix.length, true);
  // The flags stand before the name's length by 20 bytes in both headers.
  header.setUint16(lengthAt - 20, header.getUint16(lengthAt - 20, true) | UTF8, true);
  return { bytes: made, end };
}
