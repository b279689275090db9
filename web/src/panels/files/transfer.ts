// Bytes in and out of the workspace: uploads by drop or choice, downloads of a file or a folder, with progress and an end.
import { RpcError, type Failure } from "../../rpc/errors.ts";
import { archiveAddress, authorization, fileAddress, send } from "../../rpc/http.ts";
import { agent } from "../../state/agents.ts";
import { mine } from "../../state/own.ts";
import { nameOf } from "../../state/tabs.ts";
import { dismiss, failed, toast, update } from "../../state/toasts.ts";
import { confirm } from "../../ui/ask.tsx";
import { count, size } from "../../ui/format.ts";
import { joined, list, parentOf } from "./store.ts";
import type { Node } from "./tree.ts";
import { joinedZip, type Part } from "./zip.ts";

interface Coming {
  path: string;
  file: File;
}

/** The files of a drop, those in folders too, with their paths. */
export async function dropped(data: DataTransfer, directory: string): Promise<Coming[]> {
  // All entries have to be taken before anything is waited for: the browser forgets them.
  const entries = [...data.items].map((item) => item.webkitGetAsEntry?.() ?? undefined).filter((entry) => entry !== undefined);
  const found: Coming[] = [];
  const visit = async (entry: FileSystemEntry, path: string): Promise<void> => {
    if (entry.isFile) {
      const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
      found.push({ path: joined(path, entry.name), file });
      return;
    }
    const reader = (entry as FileSystemDirectoryEntry).createReader();
    for (;;) {
      const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
      if (some.length === 0) return;
      for (const one of some) await visit(one, joined(path, entry.name));
    }
  };
  for (const entry of entries) await visit(entry, directory);
  if (entries.length === 0) for (const file of data.files) found.push({ path: joined(directory, file.name), file });
  return found;
}

/** Uploads files one after the other; what is there is replaced only when that was wished. */
export async function upload(files: Coming[], directory: string): Promise<void> {
  const id = agent();
  if (id === undefined || files.length === 0) return;
  const all = files.reduce((sum, one) => sum + one.file.size, 0);
  const name = files.length === 1 ? nameOf(files[0]!.path) : `${count(files.length)} files`;
  const stop = new AbortController();
  const title = `Uploading ${name}`;
  const shown = toast({ kind: "info", title, hint: size(all), progress: 0, action: { label: "Cancel", run: () => stop.abort() } });
  let done = 0;
  let replace: "all" | undefined;
  let landed = 0;
  try {
    for (const { path, file } of files) {
      const told = (bytes: number) => update(shown, { progress: all === 0 ? 0 : (done + bytes) / all });
      mine(path);
      try {
        await put(fileAddress(id, path), file, replace ? undefined : "*", told, stop.signal);
      } catch (thrown) {
        if (!(thrown instanceof RpcError) || !["CONFLICT", "FILE_EXISTS"].includes(thrown.code)) throw thrown;
        const about = files.length > 1 ? "It and other files of this upload that are there already are replaced." : "What it holds now is replaced.";
        if (!(await confirm({ title: `Replace ${nameOf(path)}?`, about, answer: "Replace", danger: true }))) continue;
        replace = "all";
        await put(fileAddress(id, path), file, undefined, told, stop.signal);
      }
      done += file.size;
      landed += 1;
    }
    dismiss(shown);
    if (landed > 0) toast({ kind: "done", title: `Uploaded ${landed === files.length ? name : `${landed} of ${files.length} files`}` });
  } catch (thrown) {
    dismiss(shown);
    failed(`${title} failed`)(thrown);
  }
  await list(directory);
}

/** Sends a file; only this way of asking tells how far it is. */
function put(address: string, body: File, ifNoneMatch: string | undefined, told: (bytes: number) => void, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("PUT", address);
    for (const [header, value] of Object.entries(authorization())) request.setRequestHeader(header, value);
    if (ifNoneMatch !== undefined) request.setRequestHeader("if-none-match", ifNoneMatch);
    request.upload.onprogress = (event) => told(event.loaded);
    request.onload = () => {
      if (request.status < 300) return resolve();
      const answer = parsed(request.responseText);
      reject(new RpcError(answer ?? { code: "INTERNAL", message: `the gateway answered ${request.status}` }));
    };
    request.onerror = () => reject(new RpcError({ code: "CONNECTION_LOST", message: "the connection was lost", details: { hint: "Try again." } }));
    request.onabort = () => reject(new DOMException("cancelled", "AbortError"));
    if (signal.aborted) return reject(new DOMException("cancelled", "AbortError"));
    signal.addEventListener("abort", () => request.abort(), { once: true });
    request.send(body);
  });
}

function parsed(text: string): Failure | undefined {
  try {
    return (JSON.parse(text) as { error?: Failure }).error;
  } catch {
    return undefined;
  }
}

/** Fetches a file, or a folder as an archive, and hands it to the browser's downloads. */
export async function download(path: string, kind: "file" | "dir"): Promise<void> {
  const id = agent();
  if (id === undefined) return;
  const name = kind === "dir" ? `${path === "/" ? id : nameOf(path)}.zip` : nameOf(path);
  const address = kind === "dir" ? archiveAddress(id, path, "zip") : fileAddress(id, path);
  await downloading(name, async (signal, told) => {
    const came = await fetched(address, signal, told);
    return { pieces: came.pieces, hidden: came.hidden };
  });
}

/** Fetches several entries as one archive, in which they lie as they do in the workspace, from the folder that has them all. */
export async function downloadAll(nodes: readonly Node[]): Promise<void> {
  const id = agent();
  if (id === undefined || nodes.length === 0) return;
  const parents = nodes.map((node) => folders(parentOf(node.path)));
  const shared = parents.reduce((all, one) => all.filter((part, at) => one[at] === part));
  await downloading(`${shared.at(-1) ?? id}.zip`, async (signal, told) => {
    const parts: Part[] = [];
    let before = 0;
    for (const [at, { path, name, kind }] of nodes.entries()) {
      const { pieces, bytes } = await fetched(archiveAddress(id, path, "zip"), signal, (came) => told(before + came));
      before += bytes;
      const under = [...parents[at]!.slice(shared.length), ...(kind === "dir" ? [name] : [])];
      parts.push({ under: under.map((part) => `${part}/`).join(""), bytes: new Uint8Array(await new Blob(pieces).arrayBuffer()) });
    }
    return { pieces: joinedZip(parts) as BlobPart[], hidden: null };
  });
}

function folders(path: string): string[] {
  return path.split("/").filter(Boolean);
}

/** Says how far a download is, lets it be ended, and hands what came to the browser. */
async function downloading(name: string, get: (signal: AbortSignal, told: (came: number, whole?: number) => void) => Promise<{ pieces: BlobPart[]; hidden: string | null }>): Promise<void> {
  const stop = new AbortController();
  const shown = toast({ kind: "info", title: `Downloading ${name}`, progress: 0, action: { label: "Cancel", run: () => stop.abort() } });
  const told = (came: number, whole = 0) => update(shown, { progress: whole > 0 ? came / whole : 0, hint: whole > 0 ? `${size(came)} of ${size(whole)}` : size(came) });
  try {
    const { pieces, hidden } = await get(stop.signal, told);
    dismiss(shown);
    save(new Blob(pieces, { type: "application/octet-stream" }), name);
    const hint = hidden === null ? {} : { hint: `Placeholders stand for secrets in it: ${hidden}.` };
    toast({ kind: "done", title: `Downloaded ${name}`, ...hint });
  } catch (thrown) {
    dismiss(shown);
    failed(`${name} could not be downloaded`)(thrown);
  }
}

async function fetched(address: string, signal: AbortSignal, told: (came: number, whole: number) => void): Promise<{ pieces: BlobPart[]; bytes: number; hidden: string | null }> {
  const response = await send("GET", address, { signal });
  const whole = Number(response.headers.get("content-length") ?? 0);
  const pieces: BlobPart[] = [];
  let bytes = 0;
  const reader = response.body!.getReader();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    pieces.push(piece.value as BlobPart);
    bytes += piece.value.byteLength;
    told(bytes, whole);
  }
  return { pieces, bytes, hidden: response.headers.get("x-garth-redacted") };
}

function save(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
