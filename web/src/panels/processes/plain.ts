// What a program printed as plain text: without the signs that move a cursor or colour letters.

// Sequences of CSI, of OSC and friends up to their end, and single ones.
const SIGNS = /\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]/g;

export function plain(text: string): string {
  const bare = text.replace(SIGNS, "").replace(/\r+\n/g, "\n");
  // A line that was written over shows what was written last.
  const over = bare.replace(/^[^\n]*\r(?=[^\n])/gm, "");
  return over.replace(/[\x00-\x08\x0b-\x1f\x7f]/g, "");
}
