// Where the page begins: the styles, the way in, and the one component that is everything.
import { render } from "solid-js/web";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/shell.css";
import { App } from "./shell/App.tsx";
import { begin, expected } from "./state/session.ts";

void begin();
// Fetched while it is found out who asks, where somebody was in before.
if (expected()) void import("./shell/Shell.tsx");
const place = document.getElementById("app");
if (place) render(() => <App />, place);
