// Something that is done again and again while it can be seen.
import { onCleanup } from "solid-js";

/** Does it every so many milliseconds as long as the component is there and the page is not hidden. */
export function every(ms: number, run: () => void): void {
  const timer = setInterval(() => !document.hidden && run(), ms);
  onCleanup(() => clearInterval(timer));
}
