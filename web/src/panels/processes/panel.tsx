// What runs in the workspace.
import { lazy } from "solid-js";
import { may } from "../../state/connection.ts";
import type { Panel } from "../registry.ts";

const panel: Panel = {
  id: "processes",
  title: "Processes",
  icon: "processes",
  place: "bottom",
  order: 2,
  when: () => may("ps"),
  component: lazy(() => import("./View.tsx")),
};
export default panel;
