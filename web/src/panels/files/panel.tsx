// The files of the workspace, as a tree.
import { lazy } from "solid-js";
import type { Panel } from "../registry.ts";

const panel: Panel = {
  id: "files",
  title: "Files",
  icon: "folder",
  place: "left",
  order: 0,
  keys: "Mod+Shift+E",
  component: lazy(() => import("./View.tsx")),
};
export default panel;
