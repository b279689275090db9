// What the file in front says in the line below: place, size, language.
import { createSignal } from "solid-js";

const [status, setStatus] = createSignal("");
export { setStatus, status };
