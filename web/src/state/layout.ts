// Which panels are open and how large they are; kept in this browser, since it says nothing of anybody's files.
import { createSignal } from "solid-js";
import { createStore } from "solid-js/store";

export type Place = "left" | "bottom" | "right";

interface Dock {
  open: boolean;
  size: number;
  panel: string;
}

const KEY = "garth.layout";
/** The least and the most of each dock, in pixels. */
export const BOUNDS: Record<Place, [number, number]> = { left: [200, 560], bottom: [120, 640], right: [240, 640] };
const BEGINS: Record<Place, Dock> = {
  left: { open: true, size: 288, panel: "files" },
  bottom: { open: false, size: 260, panel: "terminal" },
  right: { open: false, size: 340, panel: "activity" },
};

const [docks, setDocks] = createStore<Record<Place, Dock>>(restored());
export { docks };

const query = matchMedia("(max-width: 719px)");
const [narrow, setNarrow] = createSignal(query.matches);
query.addEventListener("change", () => setNarrow(query.matches));
/** Whether there is room for one thing at a time only. */
export { narrow };

/** What a narrow screen shows: the editor, or a panel by its id. */
const [front, setFront] = createSignal("files");
export { front, setFront };

/** Shows a panel where it belongs. */
export function show(place: Place, panel: string): void {
  setDocks(place, { open: true, panel });
  setFront(panel);
  keep();
}

/** Shows or hides a dock; `panel` hides it only where that panel is the one shown. */
export function toggle(place: Place, panel = docks[place].panel): void {
  if (narrow()) return setFront(front() === panel ? "editor" : panel), undefined;
  const hide = docks[place].open && docks[place].panel === panel;
  setDocks(place, { open: !hide, panel });
  keep();
}

/** Makes a dock larger or smaller. */
export function resize(place: Place, size: number): void {
  const [least, most] = BOUNDS[place];
  setDocks(place, "size", Math.round(Math.min(most, Math.max(least, size))));
  keep();
}

function keep(): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(docks));
  } catch {
    // A browser that keeps nothing shows the same as on the first day.
  }
}

function restored(): Record<Place, Dock> {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Record<Place, Partial<Dock>>>;
    const of = (place: Place): Dock => ({ ...BEGINS[place], ...kept[place] });
    return { left: of("left"), bottom: of("bottom"), right: of("right") };
  } catch {
    return structuredClone(BEGINS);
  }
}
