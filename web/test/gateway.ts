// A real gateway for a test: its own data, its own workspace, a port of its own, and its end.
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const repository = join(import.meta.dirname, "../..");
const program = process.env["GARTH_PROGRAM"] ?? join(process.env["CARGO_TARGET_DIR"] ?? join(repository, "target"), "debug/garth");
/** How long a gateway may take to begin, in milliseconds; machines are slow sometimes. */
const BEGINS = 60_000;

export class Gateway {
  readonly place: string;
  /** The directory of the agent `default`. */
  readonly files: string;
  address = "";
  #process: ChildProcess | undefined;
  #ticket = "";
  #listen = "127.0.0.1:0";

  private constructor() {
    this.place = mkdtempSync(join(tmpdir(), "garth-web-"));
    this.files = join(this.place, "files");
    mkdirSync(this.files);
  }

  /** Starts one whose agent `default` has these files. */
  static async start(files: Record<string, string | Uint8Array> = {}): Promise<Gateway> {
    const gateway = new Gateway();
    for (const [path, content] of Object.entries(files)) gateway.write(path, content);
    gateway.garth("agent", "create", "default", "--dir", gateway.files);
    await gateway.begin();
    return gateway;
  }

  /** Begins to serve, on the address it had before if it had one. */
  async begin(): Promise<void> {
    const child = spawn(program, ["serve", "--data", join(this.place, "data"), "--listen", this.#listen], { stdio: ["ignore", "pipe", "pipe"] });
    this.#process = child;
    let said = "";
    let log = "";
    child.stderr.on("data", (piece: Buffer) => (log += piece.toString()));
    await new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`the gateway did not begin: ${said}${log}`)), BEGINS);
      child.on("exit", () => reject(new Error(`the gateway ended: ${said}${log}`)));
      child.stdout.on("data", (piece: Buffer) => {
        said += piece.toString();
        if (!/^ {2}try/m.test(said)) return;
        clearTimeout(late);
        resolve();
      });
    });
    this.#ticket = /ticket=(\S+)/.exec(said)?.[1] ?? "";
    this.address = /listens on (\S+)/.exec(said)?.[1] ?? "";
    this.#listen = new URL(this.address).host;
  }

  /** The address that was printed, whose ticket is good once. */
  get opening(): string {
    return `${this.address}/#ticket=${this.#ticket}`;
  }

  /** Runs the program on this gateway's data; gives what it printed. */
  garth(...args: string[]): string {
    return execFileSync(program, [...args, "--data", join(this.place, "data")], { encoding: "utf8" }).trim();
  }

  /** A token. */
  token(role: "operator" | "agent" | "user", agent?: string): string {
    return this.garth("token", "create", "--role", role, ...(agent === undefined ? [] : ["--agent", agent]));
  }

  /** The first operator's token. */
  get operator(): string {
    return readFileSync(join(this.place, "data/operator.token"), "utf8").trim();
  }

  /** Asks as another client would, over HTTP. */
  async rpc(method: string, params: object, token = this.operator): Promise<unknown> {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const answer = await fetch(`${this.address}/v1/rpc/${method}`, { method: "POST", headers, body: JSON.stringify(params) });
    return await answer.json();
  }

  write(path: string, content: string | Uint8Array): void {
    const whole = join(this.files, path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, content);
  }

  read(path: string): string {
    return readFileSync(join(this.files, path), "utf8");
  }

  /** Ends the process and keeps everything else. */
  async halt(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (!child || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
  }

  async stop(): Promise<void> {
    await this.halt();
    rmSync(this.place, { recursive: true, force: true });
  }
}
