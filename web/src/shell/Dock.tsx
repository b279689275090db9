// One side of the frame: the panels that belong there as tabs, and an edge to drag.
import { For, Show, Suspense } from "solid-js";
import { Dynamic } from "solid-js/web";
import { panels, panelsOf, type Panel } from "../panels/registry.ts";
import { BOUNDS, docks, resize, show, toggle, type Place } from "../state/layout.ts";
import { IconButton } from "../ui/Button.tsx";
import { Icon } from "../ui/Icon.tsx";

export function Dock(props: { place: Place | "any"; panel?: string }) {
  const all = () => (props.place === "any" ? panels() : panelsOf(props.place));
  const shown = () => {
    const wanted = props.place === "any" ? props.panel : docks[props.place].panel;
    return all().find((panel) => panel.id === wanted) ?? all()[0];
  };
  const keys = (event: KeyboardEvent) => {
    const at = all().findIndex((panel) => panel.id === shown()?.id);
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const next = step === undefined ? undefined : all()[(at + step + all().length) % all().length];
    if (!next || props.place === "any") return;
    event.preventDefault();
    show(props.place, next.id);
    document.getElementById(`tab-${next.id}`)?.focus();
  };
  return (
    <Show when={shown()} keyed>
      {(panel) => (
        <section class={`dock ${props.place}`} aria-label={panel.title}>
          <Show when={props.place !== "any" && props.place} keyed>
            {(place) => (
              <>
                <Edge place={place} />
                <header class="dock-head">
                  <div role="tablist" aria-label={`Panels, ${place}`} onKeyDown={keys}>
                    <For each={all()}>{(one) => <Tab panel={one} place={place} shown={one.id === panel.id} />}</For>
                  </div>
                  <Show when={place !== "left"}>
                    <IconButton icon="cross" label={`Hide ${panel.title.toLowerCase()}`} onClick={() => toggle(place)} />
                  </Show>
                </header>
              </>
            )}
          </Show>
          <div class="dock-body" role="tabpanel" id={`panel-${panel.id}`} aria-label={panel.title}>
            <Suspense fallback={<div class="loading" aria-busy="true" />}>
              <Dynamic component={panel.component} />
            </Suspense>
          </div>
        </section>
      )}
    </Show>
  );
}

function Tab(props: { panel: Panel; place: Place; shown: boolean }) {
  return (
    <button
      type="button"
      role="tab"
      id={`tab-${props.panel.id}`}
      class="dock-tab"
      aria-selected={props.shown}
      aria-controls={props.shown ? `panel-${props.panel.id}` : undefined}
      tabIndex={props.shown ? 0 : -1}
      onClick={() => show(props.place, props.panel.id)}
    >
      <Icon name={props.panel.icon} />
      <span>{props.panel.title}</span>
      <Show when={props.panel.badge?.()}><b class="badge">{props.panel.badge?.()}</b></Show>
    </button>
  );
}

/** The edge that makes a dock larger, by drag or with the arrow keys. */
function Edge(props: { place: Place }) {
  const upright = () => props.place !== "bottom";
  const sign = () => (props.place === "left" ? 1 : -1);
  const drag = (event: PointerEvent & { currentTarget: HTMLElement }) => {
    const edge = event.currentTarget;
    const from = upright() ? event.clientX : event.clientY;
    const size = docks[props.place].size;
    edge.setPointerCapture(event.pointerId);
    edge.onpointermove = (move) => resize(props.place, size + sign() * ((upright() ? move.clientX : move.clientY) - from));
    edge.onpointerup = () => (edge.onpointermove = null);
  };
  const keys = (event: KeyboardEvent) => {
    const step = { ArrowRight: 16, ArrowDown: 16, ArrowLeft: -16, ArrowUp: -16 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    resize(props.place, docks[props.place].size + sign() * step);
  };
  return (
    <div
      class={`edge ${props.place}`}
      role="separator"
      tabIndex={0}
      aria-label={`Size of the ${props.place} side`}
      aria-orientation={upright() ? "vertical" : "horizontal"}
      aria-valuenow={docks[props.place].size}
      aria-valuemin={BOUNDS[props.place][0]}
      aria-valuemax={BOUNDS[props.place][1]}
      onPointerDown={drag}
      onKeyDown={keys}
    />
  );
}
