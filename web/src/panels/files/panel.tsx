// The files of the workspace, as a tree; it is what is shown first, so it comes with the frame and not after it.
import type { Panel } from "../registry.ts";
import View from "./View.tsx";

const panel: Panel = {
  id: "files",
  title: "Files",
  icon: "folder",
  place: "left",
  order: 0,
  keys: "Mod+Shift+E",
  component: View,
};
export default panel;
