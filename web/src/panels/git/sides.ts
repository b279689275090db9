// The two texts that a unified diff compares, as far as it shows them.

export function sides(diff: string): { before: string; after: string } {
  const before: string[] = [];
  const after: string[] = [];
  let inside = false;
  for (const line of diff.split("\n")) {
    if (line.startsWith("@@")) {
      // Between two hunks something is left out.
      if (inside || !/^@@ -[01](,|\s)/.test(line)) (before.push("⋯"), after.push("⋯"));
      inside = true;
    } else if (!inside || line.startsWith("\\")) continue;
    else if (line.startsWith("diff --git ")) inside = false;
    else if (line.startsWith("-")) before.push(line.slice(1));
    else if (line.startsWith("+")) after.push(line.slice(1));
    else (before.push(line.slice(1)), after.push(line.slice(1)));
  }
  return { before: before.join("\n"), after: after.join("\n") };
}
