// A file that is no text: what can be said of it, and its first bytes.
import { createResource, For, Show } from "solid-js";
import { rpc } from "../state/connection.ts";
import { download } from "../panels/files/transfer.ts";
import { Button } from "../ui/Button.tsx";
import { Icon } from "../ui/Icon.tsx";
import { count, moment, size } from "../ui/format.ts";
import type { Facts } from "./document.ts";

/** How many bytes are shown. */
const SHOWN = 256;

/** What files begin with, and what they are then. */
const KINDS: [string, string][] = [
  ["25504446", "PDF document"], ["504b0304", "Zip archive, or a document made of one"], ["1f8b", "Gzip data"], ["28b52ffd", "Zstandard data"],
  ["fd377a58", "XZ data"], ["425a68", "Bzip2 data"], ["7f454c46", "ELF program"], ["53514c69746520", "SQLite database"], ["00617364", "WebAssembly"],
  ["cafebabe", "Java class"], ["4f676753", "Ogg media"], ["494433", "MP3 audio"], ["774f4646", "Web font"], ["774f4632", "Web font"], ["7b5c727466", "Rich text"],
];

export function BinaryView(props: { agent: string; path: string; facts: Facts }) {
  const [bytes] = createResource(
    () => props.path,
    async (path) => {
      const read = await rpc.call("worktree.read", { agentId: props.agent, path, encoding: "base64", offset: 0, length: SHOWN });
      return Uint8Array.from(atob(read.content), (letter) => letter.charCodeAt(0));
    },
  );
  const known = () => (bytes.error ? undefined : bytes());
  const hex = () => [...(known() ?? [])].map((byte) => byte.toString(16).padStart(2, "0"));
  const kind = () => KINDS.find(([begins]) => hex().join("").startsWith(begins))?.[1] ?? "Binary data";
  const lines = () => Array.from({ length: Math.ceil(hex().length / 16) }, (_, line) => line * 16);
  const letters = (from: number) => [...(known() ?? []).slice(from, from + 16)].map((byte) => (byte > 31 && byte < 127 ? String.fromCharCode(byte) : "·")).join("");
  return (
    <div class="binary">
      <div class="binary-head">
        <Icon name="binary" />
        <div>
          <h2>{kind()}</h2>
          <p class="muted num">{size(props.facts.size)} ({count(props.facts.size)} bytes){props.facts.modified ? ` · changed ${moment(props.facts.modified)}` : ""}</p>
        </div>
        <Button icon="download" onClick={() => void download(props.path, "file")}>Download</Button>
      </div>
      <Show when={hex().length > 0}>
        <pre class="hex" tabIndex={0} aria-label="The first bytes">
          <For each={lines()}>{(from) => <span>{`${from.toString(16).padStart(6, "0")}   ${hex().slice(from, from + 16).join(" ").padEnd(47)}   ${letters(from)}\n`}</span>}</For>
        </pre>
      </Show>
    </div>
  );
}
