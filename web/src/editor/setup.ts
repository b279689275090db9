// CodeMirror as this page has it: colours by name, languages when they are needed, secrets as chips.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, foldGutter, foldKeymap, HighlightStyle, indentOnInput, LanguageDescription, syntaxHighlighting } from "@codemirror/language";
import { languages } from "@codemirror/language-data";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import { Decoration, drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, keymap, lineNumbers, MatchDecorator, ViewPlugin, WidgetType, type DecorationSet, type ViewUpdate } from "@codemirror/view";
import { tags } from "@lezer/highlight";

/** Texts of more characters have no language, no folding and no wrapping: they would be slow. */
export const LARGE = 1_500_000;

const look = EditorView.theme({
  "&": { height: "100%", color: "var(--fg)", backgroundColor: "var(--bg)", fontSize: "var(--code)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.6", overflow: "auto" },
  ".cm-content": { caretColor: "var(--accent)", padding: "8px 0" },
  ".cm-cursor": { borderLeftColor: "var(--accent)", borderLeftWidth: "2px" },
  ".cm-gutters": { backgroundColor: "var(--bg)", color: "var(--fg-faint)", border: "none", paddingRight: "4px" },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 6px 0 14px", minWidth: "36px", fontVariantNumeric: "tabular-nums" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--bg-hover) 55%, transparent)" },
  ".cm-activeLineGutter": { backgroundColor: "transparent", color: "var(--fg)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "color-mix(in srgb, var(--accent) 26%, transparent) !important" },
  ".cm-selectionMatch": { backgroundColor: "color-mix(in srgb, var(--warn) 22%, transparent)" },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": { backgroundColor: "var(--accent-soft)", outline: "1px solid var(--accent)" },
  ".cm-searchMatch": { backgroundColor: "var(--warn-soft)", outline: "1px solid var(--warn)" },
  ".cm-panels": { backgroundColor: "var(--bg-raised)", color: "var(--fg)", borderColor: "var(--line)" },
  ".cm-panels input, .cm-panels button": { font: "var(--text) var(--font)", color: "inherit", background: "var(--bg)", border: "1px solid var(--line-strong)", borderRadius: "4px", padding: "3px 8px" },
  ".cm-panels button": { backgroundImage: "none" },
  ".cm-panel.cm-search": { padding: "8px", fontFamily: "var(--font)" },
  ".cm-foldPlaceholder": { background: "var(--bg-sunken)", border: "none", color: "var(--fg-muted)", padding: "0 6px" },
  ".cm-tooltip": { background: "var(--bg-raised)", border: "1px solid var(--line)", borderRadius: "6px" },
  ".cm-secret": { display: "inline-block", padding: "0 7px", borderRadius: "9px", background: "var(--warn-soft)", color: "var(--warn)", fontFamily: "var(--font)", fontSize: "11px", fontWeight: "600", lineHeight: "18px", verticalAlign: "1px" },
  "&.cm-merge-a .cm-changedLine, .cm-deletedChunk": { backgroundColor: "var(--removed)" },
  "&.cm-merge-b .cm-changedLine, .cm-insertedLine": { backgroundColor: "var(--added)" },
  "&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText": { background: "var(--removed-text)" },
  "&.cm-merge-b .cm-changedText": { background: "var(--added-text)" },
  ".cm-collapsedLines": { background: "var(--bg-side)", color: "var(--fg-muted)", padding: "4px 12px", font: "var(--small) var(--font)" },
});

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.controlKeyword, tags.modifier, tags.operatorKeyword], color: "var(--syntax-keyword)" },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: "var(--syntax-string)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: "var(--syntax-number)" },
  { tag: [tags.comment, tags.quote], color: "var(--syntax-comment)", fontStyle: "italic" },
  { tag: [tags.typeName, tags.className, tags.namespace, tags.tagName], color: "var(--syntax-type)" },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName), tags.macroName, tags.labelName], color: "var(--syntax-function)" },
  { tag: [tags.meta, tags.processingInstruction, tags.attributeName, tags.annotation], color: "var(--syntax-meta)" },
  { tag: [tags.heading, tags.strong], color: "var(--syntax-keyword)", fontWeight: "650" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: [tags.link, tags.url], color: "var(--syntax-type)", textDecoration: "underline" },
  { tag: tags.invalid, color: "var(--danger)" },
]);

/** A placeholder as it is seen: the name of the rule that hid the secret. */
class Chip extends WidgetType {
  readonly name: string;
  constructor(name: string) {
    super();
    this.name = name;
  }
  override eq(other: Chip): boolean {
    return other.name === this.name;
  }
  override toDOM(): HTMLElement {
    const chip = document.createElement("span");
    chip.className = "cm-secret";
    chip.textContent = this.name;
    chip.title = `A secret is hidden here (${this.name}). Saving the file puts it back.`;
    chip.setAttribute("aria-label", `hidden secret ${this.name}`);
    chip.setAttribute("role", "img");
    return chip;
  }
}

const placeholders = new MatchDecorator({
  regexp: /\[REDACTED: ([A-Z0-9_]+(?: #\d+)?)\]/g,
  decoration: (match) => Decoration.replace({ widget: new Chip(match[1] ?? "") }),
});

/** Secrets are chips, and the cursor passes them as one character. */
export const secretChips = ViewPlugin.fromClass(
  class {
    chips: DecorationSet;
    constructor(view: EditorView) {
      this.chips = placeholders.createDeco(view);
    }
    update(update: ViewUpdate): void {
      this.chips = placeholders.updateDeco(update, this.chips);
    }
  },
  {
    decorations: (plugin) => plugin.chips,
    provide: (plugin) => EditorView.atomicRanges.of((view) => view.plugin(plugin)?.chips ?? Decoration.none),
  },
);

/** What every editor of this page has. */
export function basics(text: string, label: string): Extension[] {
  const large = text.length > LARGE;
  const rich = large ? [] : [foldGutter(), bracketMatching(), indentOnInput(), highlightSelectionMatches()];
  return [
    look,
    // Mixed line endings stay as they are: only a text that has one kind throughout is split by it.
    EditorState.lineSeparator.of(separator(text)),
    EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", tabindex: "0" }),
    lineNumbers(),
    highlightSpecialChars(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    drawSelection(),
    history(),
    search({ top: true }),
    syntaxHighlighting(colours, { fallback: true }),
    secretChips,
    keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap, ...foldKeymap, indentWithTab]),
    ...rich,
  ];
}

/** The language of a file, which is fetched when there is one. */
export async function languageFor(path: string, length: number): Promise<{ name: string; extension: Extension } | undefined> {
  if (length > LARGE) return undefined;
  const found = LanguageDescription.matchFilename(languages, path.slice(path.lastIndexOf("/") + 1));
  return found ? { name: found.name, extension: await found.load() } : undefined;
}

function separator(text: string): string {
  const breaks = text.match(/\r?\n/g);
  return breaks && breaks.every((one) => one === "\r\n") ? "\r\n" : "\n";
}

/** A place for an editor: its styles stay inside, since the page allows none that are written into it. */
export function shadow(host: HTMLElement): ShadowRoot {
  return host.shadowRoot ?? host.attachShadow({ mode: "open", delegatesFocus: true });
}
