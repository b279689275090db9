// A file as it is in the last commit, beside what it is now.
import { askGit, letter } from "../../state/git.ts";
import { nameOf, openDiff, openFile } from "../../state/tabs.ts";
import { failed, toast } from "../../state/toasts.ts";
import { sides } from "./sides.ts";

/** Lines around a change that are shown: in most files, all. */
const AROUND = 1_000;
/** The most lines that are compared. */
const MOST = 20_000;

/** Opens the comparison; a file that is new to git is opened by itself. */
export async function compareWithCommit(path: string): Promise<void> {
  const name = nameOf(path);
  try {
    const told = await askGit({ action: "diff", ref: "HEAD", files: [path], context: AROUND, limit: MOST });
    if (!told.diff) return void unchanged(path);
    const { before, after } = sides(told.diff);
    openDiff({ title: `${name} (last commit)`, text: before }, { title: name, text: after });
  } catch (thrown) {
    failed("It could not be compared")(thrown);
  }
}

/** Git shows nothing: it is as it was, or git does not know it. */
async function unchanged(path: string): Promise<void> {
  const { untracked = [] } = await askGit({ action: "status" });
  const here = path.replace(/^\/+/, "");
  const unknown = untracked.some(({ path: one }) => here === one || (one.endsWith("/") && here.startsWith(one)));
  if (!unknown) return void toast({ kind: "info", title: `${nameOf(path)} is as it was in the last commit` });
  openFile(path, { preview: true });
  toast({ kind: "info", title: `${nameOf(path)} is in no commit yet`, hint: `It is marked ${letter("untracked")} in the tree.` });
}
