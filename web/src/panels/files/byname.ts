// The order of names as people have it: 2 before 10, a beside A.
//
// Names of plain letters are compared here, in the order that Intl gives them; Intl itself is asked for other names
// only, since its first word takes longer than all else that is done until the tree is shown.

/** Every plain character in its order; letters of both cases stand together. */
const ORDER = ` _-,;:!?.'"()[]{}@*/\\&#%\`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz`;
const DIGITS = ORDER.indexOf("0");
const LETTERS = ORDER.indexOf("a");
const rank = new Uint8Array(128);
for (let code = 32; code < 127; code += 1) rank[code] = ORDER.indexOf(String.fromCharCode(code).toLowerCase());

const PLAIN = /^[ -~]*$/;
let collator: Intl.Collator | undefined;

/** Sorts by name, where it stands. */
export function sortByName<T extends { name: string }>(all: T[]): T[] {
  if (all.every(({ name }) => PLAIN.test(name))) return all.sort((a, b) => compared(a.name, b.name));
  const { compare } = (collator ??= new Intl.Collator(undefined, { numeric: true, sensitivity: "base" }));
  return all.sort((a, b) => compare(a.name, b.name));
}

/** Compares two names of plain characters. */
export function compared(a: string, b: string): number {
  let left = 0;
  let right = 0;
  while (left < a.length && right < b.length) {
    const one = rank[a.charCodeAt(left)]!;
    const other = rank[b.charCodeAt(right)]!;
    if (digit(one) && digit(other)) {
      const [from, to] = [run(a, left), run(b, right)];
      const unequal = from.value.length - to.value.length || (from.value < to.value ? -1 : from.value > to.value ? 1 : 0);
      if (unequal !== 0) return unequal;
      left = from.end;
      right = to.end;
    } else if (one !== other) {
      return one - other;
    } else {
      left += 1;
      right += 1;
    }
  }
  return a.length - left - (b.length - right);
}

function digit(rank: number): boolean {
  return rank >= DIGITS && rank < LETTERS;
}

/** The number that begins at a place, without the zeros before it, and where it ends. */
function run(text: string, from: number): { value: string; end: number } {
  let end = from;
  while (end < text.length && digit(rank[text.charCodeAt(end)]!)) end += 1;
  let begin = from;
  while (begin < end - 1 && text[begin] === "0") begin += 1;
  return { value: text.slice(begin, end), end };
}
