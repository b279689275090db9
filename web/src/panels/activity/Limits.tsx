// How much of its limits the workspace has used, as far as the record tells.
import { createMemo, For, Show } from "solid-js";
import { current } from "../../state/agents.ts";
import { count, size } from "../../ui/format.ts";
import type { Entry } from "./records.ts";

const MINUTE = 60_000;

export function Limits(props: { entries: readonly Entry[]; nowMs: number }) {
  const lately = createMemo(() => props.entries.filter((one) => one.timeMs > props.nowMs - MINUTE));
  const rows = createMemo(() => {
    const limits = current()?.settings.limits ?? {};
    const bytes = lately().reduce((sum, one) => sum + (one.bytesIn ?? 0) + (one.bytesOut ?? 0), 0);
    return [
      { name: "Requests in the last minute", used: lately().length, most: limits.requestsPerMinute, shown: count },
      { name: "Bytes in the last minute", used: bytes, most: limits.bytesPerMinute, shown: size },
      { name: "Refused for a limit", used: lately().filter((one) => one.outcome === "RATE_LIMIT_EXCEEDED" || one.outcome === "QUOTA_EXCEEDED").length, most: undefined, shown: count },
    ];
  });
  return (
    <dl class="limits">
      <For each={rows()}>
        {(row) => (
          <div>
            <dt>{row.name}</dt>
            <dd class="num">
              {row.shown(row.used)}<Show when={row.most} keyed>{(most) => <> of {row.shown(most)}</>}</Show>
              <Show when={row.most} keyed>{(most) => <progress max={most} value={Math.min(most, row.used)} aria-label={row.name} />}</Show>
            </dd>
          </div>
        )}
      </For>
    </dl>
  );
}
