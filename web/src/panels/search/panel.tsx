// Search in the contents of all files.
import { lazy } from "solid-js";
import type { Panel } from "../registry.ts";

const panel: Panel = {
  id: "search",
  title: "Search",
  icon: "search",
  place: "left",
  order: 1,
  keys: "Mod+Shift+F",
  component: lazy(() => import("./View.tsx")),
};
export default panel;
