// The rows that exist: as many as are in sight and a few beyond, each taking another entry as the tree is scrolled.
//
// A small step moves the rows that went out of sight to the other end, so that it costs what comes into sight and the
// others are not touched. After a large one nearly all rows are other ones, and each takes its entry where it stands.
import { batch, createComputed, createSignal, untrack, type Accessor } from "solid-js";
import type { Node } from "./tree.ts";

export interface Slot {
  /** Its own name in the document, the same for ever. */
  id: string;
  node: Accessor<Node>;
}

interface Taking extends Slot {
  take: (node: Node) => void;
}

/** The rows in their order, of the `many` entries that begin with the `first`. */
export function inSight(rows: Accessor<readonly Node[]>, first: Accessor<number>, many: Accessor<number>): Accessor<readonly Slot[]> {
  const [slots, setSlots] = createSignal<readonly Taking[]>([]);
  let began = 0;
  let made = 0;
  createComputed(() => {
    const [all, from, count] = [rows(), first(), many()];
    untrack(() => batch(() => {
      const step = from - began;
      began = from;
      const before = slots();
      let now = before;
      if (step !== 0 && Math.abs(step) <= count / 2) {
        const cut = step > 0 ? step : Math.max(0, now.length + step);
        now = [...now.slice(cut), ...now.slice(0, cut)];
      }
      if (now.length > count) now = now.slice(0, count);
      if (now.length < count) now = [...now, ...Array.from({ length: count - now.length }, (_, at) => slot(`row-${(made += 1)}`, all[from + now.length + at]!))];
      now.forEach((one, at) => one.take(all[from + at]!));
      if (now !== before) setSlots(now);
    }));
  });
  return slots;
}

function slot(id: string, begins: Node): Taking {
  const [node, take] = createSignal(begins);
  return { id, node, take };
}
