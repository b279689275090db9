// The language that a file was recognised as, for whoever shows it.
import { createStore } from "solid-js/store";

const [shown, setShown] = createStore<Record<number, string>>({});

export function setShownLanguage(tab: number, name: string): void {
  setShown(tab, name);
}

export function languageOf(tab: number): string {
  return shown[tab] ?? "";
}
