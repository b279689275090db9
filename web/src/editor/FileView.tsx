// A file in the middle.
import type { Tab } from "../state/tabs.ts";

export default function FileView(props: { tab: Tab }) {
  return <div class="empty">{props.tab.title}</div>;
}
