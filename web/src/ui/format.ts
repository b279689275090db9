// Sizes and times as people read them, in few characters.

/** Such as 1.2 MB; powers of 1,000, as the gateway's limits are. */
export function size(bytes: number | undefined): string {
  if (bytes === undefined) return "";
  if (bytes < 1_000) return `${bytes} B`;
  const units = ["kB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = "B";
  for (const next of units) {
    if (value < 999.5) break;
    value /= 1_000;
    unit = next;
  }
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}

/** Such as "now", "3 s", "5 min", "2 h", "4 d", or the day. */
export function ago(when: string | number | undefined, nowMs = Date.now()): string {
  if (when === undefined) return "";
  const ms = typeof when === "number" ? when : Date.parse(when);
  const seconds = Math.max(0, Math.round((nowMs - ms) / 1_000));
  if (seconds < 2) return "now";
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h`;
  if (seconds < 30 * 86_400) return `${Math.floor(seconds / 86_400)} d`;
  return new Date(ms).toLocaleDateString(undefined, { year: "numeric", month: "short", day: "numeric" });
}

/** Date and time in full, for a tooltip. */
export function moment(when: string | number | undefined): string {
  return when === undefined ? "" : new Date(when).toLocaleString();
}

/** Such as 12,345; by hand, since the first word of Intl takes longer than the rest of the page. */
export function count(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}
