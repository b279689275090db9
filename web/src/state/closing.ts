// Closing a tab asks first where something in it is not saved.
import { confirm } from "../ui/ask.tsx";
import { allTabs, close } from "./tabs.ts";

/** Closes a tab; one that was edited only when its owner says so. */
export async function closeTab(id: string): Promise<void> {
  const tab = allTabs().find((one) => one.id === id);
  if (!tab) return;
  if (tab.dirty) {
    const sure = await confirm({
      title: `Close ${tab.title} without saving?`,
      about: "What you changed in it since the last save is lost.",
      answer: "Close without saving",
      danger: true,
    });
    if (!sure) return;
  }
  close(id);
}

addEventListener("beforeunload", (event) => {
  if (allTabs().some((tab) => tab.dirty)) event.preventDefault();
});
