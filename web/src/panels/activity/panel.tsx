// What was done in the workspace: the audit, as it grows.
import { lazy } from "solid-js";
import { may } from "../../state/connection.ts";
import type { Panel } from "../registry.ts";

const panel: Panel = {
  id: "activity",
  title: "Activity",
  icon: "activity",
  place: "right",
  order: 1,
  keys: "Mod+Shift+A",
  when: () => may("audit.list"),
  component: lazy(() => import("./View.tsx")),
};
export default panel;
