// Gives xterm a document in which it makes no inline styles, since the page's policy forbids them.
//
// Its style elements become sheets that the page adopts, and style attributes are set through the object model.

/** Opens something with xterm while style elements are replaced. */
export function withoutStyles(open: () => void): void {
  const own = document.createElement;
  document.createElement = ((name: string, options?: ElementCreationOptions) =>
    name === "style" ? sheetElement(own) : own.call(document, name, options)) as typeof document.createElement;
  try {
    open();
  } finally {
    delete (document as unknown as Record<string, unknown>)["createElement"];
  }
}

/** The document to give to xterm, which it keeps making style elements with. */
export const inertDocument: Document = new Proxy(document, {
  get(target, name) {
    if (name === "createElement") return made;
    const value = Reflect.get(target, name, target) as unknown;
    return typeof value === "function" ? (value as (...args: unknown[]) => unknown).bind(target) : value;
  },
});

function made(name: string, options?: ElementCreationOptions): HTMLElement {
  return name === "style" ? sheetElement(Document.prototype.createElement) : document.createElement(name, options);
}

// It colours letters by an attribute of their spans.
HTMLSpanElement.prototype.setAttribute = function (this: HTMLSpanElement, name: string, value: string): void {
  if (name === "style") this.style.cssText = value;
  else Element.prototype.setAttribute.call(this, name, value);
};

/** An element that stands for a style element: what is written into it becomes a sheet of the page. */
function sheetElement(create: typeof document.createElement): HTMLElement {
  const element = create.call(document, "template");
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets.push(sheet);
  Object.defineProperty(element, "textContent", { set: (text: string) => sheet.replaceSync(text), get: () => "" });
  element.remove = () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
    Element.prototype.remove.call(element);
  };
  return element;
}
