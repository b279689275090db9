// Terminals in the workspace.
import { lazy } from "solid-js";
import { may } from "../../state/connection.ts";
import type { Panel } from "../registry.ts";

const panel: Panel = {
  id: "terminal",
  title: "Terminal",
  icon: "terminal",
  place: "bottom",
  order: 1,
  keys: "Mod+`",
  when: () => may("terminal.open"),
  component: lazy(() => import("./View.tsx")),
};
export default panel;
