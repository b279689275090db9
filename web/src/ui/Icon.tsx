// The small drawings beside words, in one stroke width; they say nothing to a screen reader, the words do.
const PATHS = {
  file: "M4 2h5l3 3v9H4zM9 2v3h3",
  folder: "M2 4h4l1.5 2H14v7H2z",
  folderPlus: "M2 4h4l1.5 2H14v7H2zM8 7.6v3.8M6.1 9.5h3.8",
  filePlus: "M4 2h5l3 3v9H4zM8 7v4M6 9h4",
  folderOpen: "M2 13V4h4l1.5 2H13v2M2 13l2-5h11l-2 5z",
  link: "M6.5 9.5 9.5 6.5M7 5l1.5-1.5a2.5 2.5 0 0 1 4 4L11 9M9 11l-1.5 1.5a2.5 2.5 0 0 1-4-4L5 7",
  chevron: "m6 4 4 4-4 4",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.5 10.5 14 14",
  terminal: "m3 5 3 3-3 3M8 11h5",
  activity: "M1.5 8h3l2-5 3 10 2-5h3",
  processes: "M3 3h10v4H3zM3 9h10v4H3zM5 5h.01M5 11h.01",
  git: "M5 3.5v9M5 10c0-3 6-1 6-4.5M5 2a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3zM5 11a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3zM11 2.5a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3z",
  shield: "M8 1.8 13 4v4c0 3-2 5-5 6.2C5 13 3 11 3 8V4z",
  key: "M10.5 2a3.5 3.5 0 0 0-3.3 4.6L2 11.8V14h2.5v-1.5H6V11h1.5l.9-.9A3.5 3.5 0 1 0 10.5 2zM11 5h.01",
  check: "m3 8.5 3.2 3L13 4.5",
  cross: "m4 4 8 8M12 4l-8 8",
  plus: "M8 3v10M3 8h10",
  more: "M3 7.5h1v1H3zM7.5 7.5h1v1h-1zM12 7.5h1v1h-1z",
  upload: "M8 11V3M5 5.5 8 2.5l3 3M3 13h10",
  download: "M8 3v8M5 8.5l3 3 3-3M3 13.5h10",
  trash: "M3 4.5h10M6.5 4V2.5h3V4M4.5 4.5l.6 9h5.8l.6-9M7 7v4M9 7v4",
  edit: "M10.5 3 13 5.5 6 12.5l-3 .5.5-3z",
  save: "M3 3h8l2 2v8H3zM5.5 3v3.5h4V3M5.5 13V9.5h5V13",
  diff: "M5 3v6M2 6h6M2 12.5h6M11 3v10",
  eye: "M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8zM8 6a2 2 0 1 0 0 4 2 2 0 0 0 0-4z",
  eyeOff: "M2 2l12 12M6.5 4A6 6 0 0 1 8 3.7c4 0 6.5 4.3 6.5 4.3a12 12 0 0 1-2 2.5M4 5a12 12 0 0 0-2.5 3S4 12.3 8 12.3c1 0 2-.3 2.8-.7",
  refresh: "M13 8a5 5 0 1 1-1.5-3.5L13 6M13 2.5V6H9.5",
  warning: "M8 2 15 14H1zM8 6.5v3.5M8 12h.01",
  info: "M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8zM8 7.2v3.6M8 5h.01",
  user: "M8 2a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM2.5 14a5.5 5.5 0 0 1 11 0",
  left: "M2 3h12v10H2zM6 3v10",
  bottom: "M2 3h12v10H2zM2 9.5h12",
  right: "M2 3h12v10H2zM10 3v10",
  command: "M3 3h10v10H3zM6 6l2 2-2 2M9 10h2",
  agent: "M4 6h8v6H4zM8 6V3.5M8 2.2v1.3M6.3 8.8h.01M9.7 8.8h.01M2 8v2M14 8v2",
  up: "M8 12.5v-9M4.5 7 8 3.5 11.5 7",
  down: "M8 3.5v9M4.5 9 8 12.5 11.5 9",
  image: "M2 3h12v10H2zM2 11l3.5-3.5L9 11l2-2 3 3M10.5 6h.01",
  binary: "M4 2h5l3 3v9H4zM6.5 8v3M9 8h.01M9 11h.01",
  settings: "M8 5.8a2.2 2.2 0 1 0 0 4.4 2.2 2.2 0 0 0 0-4.4zM8 1.5v2M8 12.5v2M1.5 8h2M12.5 8h2M3.4 3.4l1.4 1.4M11.2 11.2l1.4 1.4M12.6 3.4l-1.4 1.4M4.8 11.2l-1.4 1.4",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon(props: { name: IconName; class?: string }) {
  return (
    <svg class={props.class ? `icon ${props.class}` : "icon"} viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[props.name]} />
    </svg>
  );
}
