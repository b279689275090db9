// The repository of the workspace.
import { lazy } from "solid-js";
import type { Panel } from "../registry.ts";

const panel: Panel = {
  id: "git",
  title: "Git",
  icon: "git",
  place: "left",
  order: 2,
  keys: "Mod+Shift+Y",
  component: lazy(() => import("./View.tsx")),
};
export default panel;
