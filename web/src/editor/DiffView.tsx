// Two sides compared.
import type { Tab } from "../state/tabs.ts";

export default function DiffView(props: { tab: Tab }) {
  return <div class="empty">{props.tab.title}</div>;
}
