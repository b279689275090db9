// Bytes in and out of the workspace: uploads by drop or choice, downloads of a file or a folder, with progress and an end.
import { RpcError, type Failure } from "../../rpc/errors.ts";
import { archiveAddress, authorization, fileAddress, send } from "../../rpc/http.ts";
import { agent } from "../../state/agents.ts";
import { mine } from "../../state/own.ts";
import { nameOf } from "../../state/tabs.ts";
import { dismiss, failed, toast, update } from "../../state/toasts.ts";
import { confirm } from "../../ui/ask.tsx";
import { count, size } from "../../ui/format.ts";
import { joined, list } from "./store.ts";

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
  const stop = new AbortController();
  const shown = toast({ kind: "info", title: `Downloading ${name}`, progress: 0, action: { label: "Cancel", run: () => stop.abort() } });
  try {
    const address = kind === "dir" ? archiveAddress(id, path, "zip") : fileAddress(id, path);
    const response = await send("GET", address, { signal: stop.signal });
    const whole = Number(response.headers.get("content-length") ?? 0);
    const pieces: BlobPart[] = [];
    let came = 0;
    const reader = response.body!.getReader();
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      pieces.push(piece.value as BlobPart);
      came += piece.value.byteLength;
      update(shown, { progress: whole > 0 ? came / whole : 0, hint: whole > 0 ? `${size(came)} of ${size(whole)}` : size(came) });
    }
    dismiss(shown);
    save(new Blob(pieces, { type: "application/octet-stream" }), name);
    const hidden = response.headers.get("x-garth-redacted");
    const hint = hidden === null ? {} : { hint: `Placeholders stand for secrets in it: ${hidden}.` };
    toast({ kind: "done", title: `Downloaded ${name}`, ...hint });
  } catch (thrown) {
    dismiss(shown);
    failed(`${name} could not be downloaded`)(thrown);
  }
}

function save(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
