// Every panel is a folder here with a panel.tsx that says what it is; nothing else has to know it.
//
// A folder may also have an overlay.tsx, for what lies over everything, such as the palette.
import type { Component } from "solid-js";
import type { IconName } from "../ui/Icon.tsx";
import type { Place } from "../state/layout.ts";

export interface Panel {
  id: string;
  title: string;
  icon: IconName;
  place: Place;
  /** Panels of one place stand in this order. */
  order: number;
  /** Keys that show it, such as "Mod+Shift+E". */
  keys?: string;
  /** Whether this caller has it at all; may read signals. */
  when?: () => boolean;
  /** A small number or mark beside its name. */
  badge?: () => string | undefined;
  /** What it shows; use `lazy(() => import("./View.tsx"))`. */
  component: Component;
  /** Pages that it opens in the middle, by the id that `openPage` was given. */
  pages?: Record<string, Component>;
}

export interface Overlay {
  id: string;
  component: Component;
}

const found = import.meta.glob<Panel>("./*/panel.tsx", { eager: true, import: "default" });
const over = import.meta.glob<Overlay>("./*/overlay.tsx", { eager: true, import: "default" });

const all = Object.values(found).sort((a, b) => a.order - b.order);

/** The panels of a place that this caller has. */
export function panelsOf(place: Place): Panel[] {
  return all.filter((panel) => panel.place === place && (panel.when?.() ?? true));
}

/** All panels that this caller has. */
export function panels(): Panel[] {
  return all.filter((panel) => panel.when?.() ?? true);
}

/** The page of a panel by its id. */
export function pageOf(id: string): Component | undefined {
  return all.find((panel) => panel.pages?.[id])?.pages?.[id];
}

/** What lies over everything. */
export const overlays: Overlay[] = Object.values(over);
