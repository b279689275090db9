// Who has a session sees workspaces and their files; every text is set as text, so that none is markup.
"use strict";

const byId = (id) => document.getElementById(id);

async function asked(method, path, body) {
  const headers = body === undefined ? {} : { "content-type": "application/json" };
  const answer = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  const value = await answer.json();
  if (!answer.ok) throw new Error(value.error ? value.error.message : answer.statusText);
  return value;
}

function button(text, pressed) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  made.addEventListener("click", pressed);
  return made;
}

function say(error) {
  byId("who").textContent = error.message;
}

function above(path) {
  const at = path.lastIndexOf("/");
  return at > 0 ? path.slice(0, at) : "/";
}

async function file(agent, path) {
  const told = await asked("POST", "/v1/rpc/worktree.read", { agentId: agent, path, maxBytes: 1000000 });
  byId("place").textContent = path;
  byId("content").textContent = told.content + (told.truncated ? "\n… cut here" : "");
  byId("content").hidden = false;
}

async function directory(agent, path) {
  const told = await asked("POST", "/v1/rpc/worktree.list", { agentId: agent, path, limit: 1000 });
  byId("place").textContent = `${agent}: ${told.path}`;
  byId("content").hidden = true;
  const entries = byId("entries");
  entries.replaceChildren();
  const add = (row, size) => {
    const item = document.createElement("li");
    item.append(row);
    if (size !== undefined) {
      const small = document.createElement("small");
      small.textContent = ` ${size.toLocaleString("en")} bytes`;
      item.append(small);
    }
    entries.append(item);
  };
  if (told.path !== "/") add(button("../", () => directory(agent, above(told.path)).catch(say)));
  for (const entry of told.entries) {
    if (entry.kind === "dir") add(button(`${entry.name}/`, () => directory(agent, entry.path).catch(say)));
    else add(button(entry.name, () => file(agent, entry.path).catch(say)), entry.sizeBytes);
  }
  if (told.truncated) add(document.createTextNode("… and more"));
  if (!entries.children.length) add(document.createTextNode("Nothing is here yet."));
}

async function begin() {
  const ticket = new URLSearchParams(location.hash.slice(1)).get("ticket");
  if (ticket) {
    // Gone from the address before anything else, so that it is in no history.
    history.replaceState(null, "", "/");
    await asked("POST", "/v1/session", { ticket });
  }
  const who = await asked("GET", "/v1/session");
  byId("who").textContent = `You are here as ${who.role}.`;
  const { agents } = await asked("GET", "/v1/workspaces");
  for (const { id } of agents) {
    const made = button(id, () => {
      document.querySelectorAll("nav button").forEach((other) => other.removeAttribute("aria-current"));
      made.setAttribute("aria-current", "true");
      directory(id, "/").catch(say);
    });
    byId("agents").append(made);
  }
  if (agents.length) byId("agents").firstChild.click();
}

begin().catch((error) => {
  byId("who").textContent = `${error.message}. Open the address that garth serve prints; its ticket is good once.`;
});
