// The comparison with the last commit, loaded when it is first wanted.

/** Opens a file as it was in the last commit beside what it is now. */
export async function compareWithCommit(path: string): Promise<void> {
  const loaded = await import("./compare.ts");
  await loaded.compareWithCommit(path);
}
