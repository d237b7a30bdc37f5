// Shows the API document and tries its calls. Everything is made of DOM nodes and text, never of HTML, so the page
// works under the same policy as all others.

const methods = ["get", "post", "put", "patch", "delete"];
const deepest = 6;

/** An element with attributes and children; strings become text. */
function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(key, "");
    else if (value !== undefined && value !== false) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== undefined && child !== ""));
  return element;
}

/** What a reference points to. */
function resolve(api, value) {
  let found = value;
  for (let steps = 0; found?.$ref && steps < deepest; steps++) {
    const path = found.$ref.replace(/^#\//, "").split("/");
    found = path.reduce((at, part) => at?.[part.replaceAll("~1", "/").replaceAll("~0", "~")], api);
  }
  return found ?? {};
}

/** A schema with its references and its parts put together. */
function whole(api, schema) {
  const found = resolve(api, schema ?? {});
  if (!found.allOf) return found;
  const parts = found.allOf.map((part) => whole(api, part));
  const { allOf, ...rest } = found;
  return Object.assign({}, ...parts, rest, {
    properties: Object.assign({}, ...parts.map((part) => part.properties ?? {}), rest.properties ?? {}),
    required: parts.flatMap((part) => part.required ?? []).concat(rest.required ?? []),
  });
}

/** A schema in a few words. */
function words(api, schema, depth = 0) {
  const { type, format, items, enum: values, oneOf, anyOf, properties, title } = whole(api, schema);
  if (values) return values.map((value) => JSON.stringify(value)).join(" | ");
  const either = oneOf ?? anyOf;
  if (either) return depth > deepest ? "…" : either.map((one) => words(api, one, depth + 1)).join(" | ");
  if (type === "array") return depth > deepest ? "[…]" : `[${words(api, items, depth + 1)}]`;
  if (properties && depth > 0) return title ?? (schema.$ref ?? "object").split("/").pop();
  const kind = Array.isArray(type) ? type.join(" | ") : (type ?? "any");
  return format ? `${kind} (${format})` : kind;
}

/** A value that a schema allows; `full` also with what is optional. */
function sample(api, schema, full, depth = 0) {
  const { example, default: standard, enum: values, type, items, properties, required = [], oneOf, anyOf } = whole(api, schema);
  if (example !== undefined) return example;
  if (standard !== undefined && standard !== null) return standard;
  if (values) return values[0];
  const either = oneOf ?? anyOf;
  if (either) return depth > deepest ? null : sample(api, either[0], full, depth + 1);
  if (type === "array") return full && depth < deepest ? [sample(api, items, full, depth + 1)] : [];
  if (properties) {
    const names = Object.keys(properties).filter((name) => required.includes(name) || (full && depth < 2));
    if (depth > deepest) return {};
    return Object.fromEntries(names.map((name) => [name, sample(api, properties[name], full, depth + 1)]));
  }
  return { integer: 0, number: 0, boolean: false, object: {} }[type] ?? "";
}

/** The media type of a body or an answer, with what it holds. */
function content(api, holder) {
  const [kind, found] = Object.entries(resolve(api, holder).content ?? {})[0] ?? [];
  return { kind: kind?.split(";")[0], ...found };
}

function describe(api, schema) {
  const { properties = {}, required = [] } = whole(api, schema);
  const names = Object.keys(properties);
  if (names.length === 0) return make("p", { class: "soft" }, words(api, schema));
  const list = make("dl");
  for (const name of names) {
    const { description } = whole(api, properties[name]);
    list.append(
      make("dt", {}, make("code", {}, name), ` ${words(api, properties[name], 1)}`, required.includes(name) ? "" : " · optional"),
      make("dd", { class: "soft" }, description ?? ""),
    );
  }
  return list;
}

/** A field for a parameter. It begins empty: an example that is sent by mistake would filter everything away. */
function field(api, parameter) {
  const { enum: values, type, example } = whole(api, parameter.schema);
  const shared = { name: parameter.name, required: parameter.required === true };
  const choices = values ?? (type === "boolean" ? [true, false] : undefined);
  const input = choices
    ? make("select", shared, make("option", { value: "" }, "—"), ...choices.map((value) => make("option", { value: String(value) }, String(value))))
    : make("input", { ...shared, autocomplete: "off", placeholder: example === undefined ? undefined : `such as ${example}` });
  return make(
    "label",
    {},
    make("span", {}, make("code", {}, parameter.name), ` ${parameter.in} · ${words(api, parameter.schema)}${parameter.required ? "" : " · optional"}`),
    make("span", { class: "soft" }, parameter.description ?? ""),
    input,
  );
}

/** Puts the parameters of a form into a request. */
function address(path, parameters, form) {
  const query = new URLSearchParams();
  const headers = {};
  let filled = path;
  for (const { name, in: place } of parameters) {
    const value = form.elements.namedItem(name)?.value ?? "";
    if (place === "path") filled = filled.replace(`{${name}}`, encodeURIComponent(value));
    else if (value !== "" && place === "query") query.append(name, value);
    else if (value !== "" && place === "header") headers[name] = value;
  }
  const text = query.toString();
  return { url: text ? `${filled}?${text}` : filled, headers };
}

function bodyField(api, kind, found) {
  if (kind === "multipart/form-data") {
    const names = Object.keys(whole(api, found.schema).properties ?? { file: {} });
    return names.map((name) => make("label", {}, make("code", {}, name), make("input", { type: "file", name: `body.${name}` })));
  }
  const { example, examples } = found;
  const value = example ?? resolve(api, Object.values(examples ?? {})[0]).value ?? sample(api, found.schema, false);
  const text = make("textarea", { name: "body", spellcheck: "false" });
  text.value = JSON.stringify(value, null, 2);
  return [make("label", {}, make("span", {}, "Body"), text)];
}

async function send(method, path, parameters, kind, form, shown) {
  const { url, headers } = address(path, parameters, form);
  const token = document.getElementById("token").value.trim();
  if (token) headers.Authorization = `Bearer ${token}`;
  const request = { method: method.toUpperCase(), headers, cache: "no-store" };
  if (kind === "multipart/form-data") {
    request.body = new FormData();
    for (const input of form.querySelectorAll("input[type=file]")) {
      if (input.files[0]) request.body.append(input.name.slice(5), input.files[0]);
    }
  } else if (kind) {
    headers["Content-Type"] = kind;
    request.body = form.elements.namedItem("body").value;
  }
  shown.replaceChildren(make("p", { class: "soft" }, "Sending…"));
  try {
    const answer = await fetch(url, request);
    const text = await answer.text();
    const isJson = (answer.headers.get("content-type") ?? "").startsWith("application/json");
    const head = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
    shown.replaceChildren(
      make("p", {}, make("code", {}, `${request.method} ${url}`), ` → ${answer.status}`),
      make("pre", { tabindex: "0", "aria-label": "Answer" }, isJson && text ? JSON.stringify(JSON.parse(text), null, 2) : text),
      make("details", {}, make("summary", {}, "Headers"), make("pre", { tabindex: "0" }, head)),
    );
  } catch (error) {
    shown.replaceChildren(make("p", { role: "alert" }, `The server can’t be reached: ${error.message}`));
  }
}

/** What is inside a call, made when it is opened. */
function inside(api, method, path, operation) {
  const parameters = (operation.parameters ?? []).map((parameter) => resolve(api, parameter));
  const body = operation.requestBody && content(api, operation.requestBody);
  const box = make("div", {}, make("p", {}, operation.description ?? ""));
  const shown = make("div", { "aria-live": "polite" });
  const fields = parameters.map((parameter) => field(api, parameter));
  if (body) fields.push(...bodyField(api, body.kind, body));
  const form = make("form", { class: "fields" }, ...fields, make("div", {}, make("button", { type: "submit" }, "Try it")));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(method, path, parameters, body?.kind, form, shown);
  });
  box.append(form, shown);
  if (body) box.append(make("h3", {}, "Body"), describe(api, body.schema));
  box.append(make("h3", {}, "Answers"));
  for (const [status, answer] of Object.entries(operation.responses ?? {})) {
    const found = content(api, answer);
    const line = make("p", {}, make("code", {}, status), ` ${resolve(api, answer).description ?? ""}`);
    box.append(line);
    if (found.schema && status < "300") box.append(describe(api, found.schema));
  }
  return box;
}

function call(api, method, path, operation) {
  const line = make(
    "summary",
    {},
    make("span", { class: `method ${method}` }, method.toUpperCase()),
    make("span", {}, make("code", {}, path), " ", make("span", { class: "soft" }, operation.summary ?? "")),
  );
  const details = make("details", { class: "call", id: operation.operationId }, line);
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1) details.append(inside(api, method, path, operation));
  });
  return details;
}

function show(api) {
  const chapters = new Map();
  for (const [path, item] of Object.entries(api.paths)) {
    for (const method of methods.filter((name) => item[name])) {
      const name = item[method].tags?.[0] ?? "Other";
      const chapter = chapters.get(name) ?? make("section", {}, make("h2", {}, name));
      chapter.append(call(api, method, path, item[method]));
      chapters.set(name, chapter);
    }
  }
  document.getElementById("about").textContent = `Version ${api.info.version}. ${(api.info.description ?? "").split("\n")[0]}`;
  document.getElementById("calls").replaceChildren(...chapters.values());
  const wanted = document.getElementById(location.hash.slice(1));
  if (wanted?.tagName === "DETAILS") {
    wanted.open = true;
    wanted.scrollIntoView();
  }
}

document.getElementById("find").addEventListener("input", ({ target }) => {
  const sought = target.value.trim().toLowerCase();
  for (const section of document.querySelectorAll("section")) {
    const calls = [...section.querySelectorAll("details.call")];
    for (const one of calls) one.hidden = !`${one.id} ${one.firstElementChild.textContent}`.toLowerCase().includes(sought);
    section.hidden = calls.every((one) => one.hidden);
  }
});

// The token stays in this page's memory: whoever is signed in in this browser gets one by their cookie.
document.getElementById("access").addEventListener("submit", async (event) => {
  event.preventDefault();
  const who = document.getElementById("who");
  const answer = await fetch("/api/auth/refresh", { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" });
  const found = answer.ok ? await answer.json() : undefined;
  if (found) document.getElementById("token").value = found.accessToken;
  who.textContent = found ? `Signed in as ${found.user.email}.` : "Nobody is signed in in this browser.";
});

try {
  const answer = await fetch("/api/openapi.json");
  show(await answer.json());
} catch (error) {
  document.getElementById("state").textContent = `The document can’t be read: ${error.message}`;
}
