// A small chart over time: what was read, written, run and refused, as bars one above the other.
import { createMemo, For } from "solid-js";
import { count } from "../../ui/format.ts";
import type { Entry, Kind } from "./records.ts";

export const SPANS = { "15 min": 15, "1 h": 60, "24 h": 1_440 } as const;
export type Span = keyof typeof SPANS;

const BARS = 48;
const HEIGHT = 56;
const KINDS: { kind: Kind; word: string }[] = [
  { kind: "read", word: "read" },
  { kind: "write", word: "write" },
  { kind: "command", word: "command" },
  { kind: "refused", word: "refusal" },
];

export function Chart(props: { entries: readonly Entry[]; span: Span; nowMs: number }) {
  const drawn = createMemo(() => {
    const width = (SPANS[props.span] * 60_000) / BARS;
    // Bars stand still between two looks, and move by whole ones.
    const end = Math.ceil(props.nowMs / width) * width;
    const bars = Array.from({ length: BARS }, () => ({ read: 0, write: 0, command: 0, refused: 0 }));
    const sums = { read: 0, write: 0, command: 0, refused: 0 };
    for (const entry of props.entries) {
      const at = BARS - 1 - Math.floor((end - 1 - entry.timeMs) / width);
      const bar = bars[at];
      if (!bar) continue;
      bar[entry.kind] += 1;
      sums[entry.kind] += 1;
    }
    const most = Math.max(4, ...bars.map((bar) => bar.read + bar.write + bar.command + bar.refused));
    return { bars, sums, most };
  });
  const told = () => `In the last ${props.span}: ${KINDS.map(({ kind, word }) => `${drawn().sums[kind]} ${word}${drawn().sums[kind] === 1 ? "" : "s"}`).join(", ")}`;
  return (
    <figure class="chart">
      <svg viewBox={`0 0 ${BARS * 6} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={told()}>
        <line x1="0" x2={BARS * 6} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} class="ground" />
        <For each={drawn().bars}>
          {(bar, at) => {
            let from = HEIGHT - 1;
            return (
              <For each={KINDS}>
                {({ kind }) => {
                  const tall = (bar[kind] / drawn().most) * (HEIGHT - 4);
                  if (tall === 0) return undefined;
                  const high = Math.max(1.5, tall);
                  from -= high;
                  return <rect class={kind} x={at() * 6 + 0.75} width="4.5" y={from} height={high} />;
                }}
              </For>
            );
          }}
        </For>
      </svg>
      <figcaption>
        <For each={KINDS}>{({ kind, word }) => <span><i class={kind} aria-hidden="true" /><span class="num">{count(drawn().sums[kind])}</span> {word}{drawn().sums[kind] === 1 ? "" : "s"}</span>}</For>
      </figcaption>
    </figure>
  );
}
