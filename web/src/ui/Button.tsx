// Buttons: with words, or a drawing alone whose words are its label and its tooltip.
import { splitProps, type JSX } from "solid-js";
import { Icon, type IconName } from "./Icon.tsx";

type Base = JSX.ButtonHTMLAttributes<HTMLButtonElement>;

export function Button(props: Base & { look?: "plain" | "primary" | "danger"; icon?: IconName }) {
  const [own, rest] = splitProps(props, ["look", "icon", "class", "children"]);
  return (
    <button type="button" {...rest} class={`button ${own.look ?? "plain"} ${own.class ?? ""}`}>
      {own.icon && <Icon name={own.icon} />}
      {own.children}
    </button>
  );
}

export function IconButton(props: Base & { icon: IconName; label: string; keys?: string }) {
  const [own, rest] = splitProps(props, ["icon", "label", "keys", "class"]);
  const title = () => (own.keys ? `${own.label} (${own.keys})` : own.label);
  return (
    <button type="button" {...rest} class={`icon-button ${own.class ?? ""}`} aria-label={own.label} title={title()}>
      <Icon name={own.icon} />
    </button>
  );
}
