// Writes the page from the document: every text is set as text, so that none is markup.
"use strict";

const byId = (id) => document.getElementById(id);

function element(name, text, kind) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (kind) made.className = kind;
  return made;
}

function resolved(whole, value) {
  if (!value || !value.$ref) return value;
  return value.$ref.slice(2).split("/").reduce((at, key) => at && at[key], whole);
}

function shown(title, value) {
  const part = element("div");
  part.append(element("h3", title), element("pre", JSON.stringify(value, null, 2)));
  return part;
}

function operation(whole, path, method, row, shared) {
  const details = element("details");
  const summary = element("summary");
  summary.append(element("code", method.toUpperCase(), "method"), element("code", path), " ", row.summary || "");
  details.append(summary);
  details.dataset.words = `${method} ${path} ${row.summary} ${row.description}`.toLowerCase();
  details.addEventListener("toggle", () => {
    if (details.dataset.written) return;
    details.dataset.written = "yes";
    if (row.description) details.append(element("p", row.description));
    const parameters = [...(shared || []), ...(row.parameters || [])].map((one) => resolved(whole, one));
    if (parameters.length) details.append(shown("Parameters", parameters));
    const json = row.requestBody?.content?.["application/json"];
    if (json?.example) details.append(shown("Example", json.example));
    if (json) details.append(shown("Body", resolved(whole, json.schema)));
    for (const [status, answer] of Object.entries(row.responses)) {
      if (!status.startsWith("2")) continue;
      const content = answer.content?.["application/json"];
      details.append(shown(`${status}: ${answer.description}`, resolved(whole, content?.schema) ?? {}));
    }
    const others = Object.entries(row.responses).filter(([status]) => !status.startsWith("2"));
    const list = element("ul");
    for (const [status, answer] of others) {
      list.append(element("li", `${status}: ${resolved(whole, answer).description}`));
    }
    details.append(element("h3", "Otherwise"), list);
  });
  return details;
}

async function write() {
  const answer = await fetch("/v1/openapi.json");
  const whole = await answer.json();
  byId("title").textContent = `${whole.info.title} ${whole.info.version}`;
  byId("about").textContent = `${whole.info.summary} ${whole.info.description}`;
  const main = byId("operations");
  main.replaceChildren();
  for (const tag of whole.tags) {
    const section = element("section");
    section.append(element("h2", tag.name), element("p", tag.description));
    for (const [path, item] of Object.entries(whole.paths)) {
      for (const [method, row] of Object.entries(item)) {
        if (!row.tags?.includes(tag.name)) continue;
        section.append(operation(whole, path, method, row, item.parameters));
      }
    }
    main.append(section);
  }
  byId("find").addEventListener("input", (event) => {
    const words = event.target.value.toLowerCase();
    for (const row of main.querySelectorAll("details")) row.hidden = !row.dataset.words.includes(words);
  });
}

write().catch((error) => {
  byId("operations").replaceChildren(element("p", `The document could not be read: ${error.message}`));
});
