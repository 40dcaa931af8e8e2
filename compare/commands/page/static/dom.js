/** Small helpers that make elements of the page. */

/** An element: `element("button", {type: "button", onclick: f, "aria-label": "undo"}, "Undo")`. */
export function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key in node && typeof value !== "string") node[key] = value;
    else if (value !== null && value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

export const button = (label, onclick, attributes = {}) => element("button", { type: "button", onclick, ...attributes }, label);

/** A field for a whole number within limits. */
export const numberField = (least, most, value = "") =>
  element("input", { type: "number", min: String(least), max: String(most), value: String(value), inputmode: "numeric" });

/** Buttons and the like, side by side. */
export const group = (...parts) => element("div", { class: "group" }, ...parts);

export const line = (...parts) => element("div", { class: "line" }, ...parts);

/** An SVG element from its markup, which is this page's own. */
export function shape(markup) {
  const holder = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  holder.innerHTML = markup;
  return holder.firstElementChild;
}

export const byId = (id) => document.getElementById(id);

/** Text as it may stand in markup. */
export const escaped = (text) => text.replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign]);

/** `1 cell`, `2 cells`. */
export const counted = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

/** Seconds as people read them, with two or three digits. */
export function duration(seconds) {
  for (const [unit, size] of [["s", 1], ["ms", 1e-3], ["µs", 1e-6]]) {
    const number = seconds / size;
    if (number >= 1 || unit === "µs") return `${number >= 10 ? Math.round(number) : number.toFixed(1)} ${unit}`;
  }
}

/**
 * The whole number in a number field. If it holds none that is possible, `say` gets a sentence with the limits, the field its last
 * number again, and the result is null. `what` are the things that it counts.
 */
export function wholeNumber(input, what, say) {
  const [text, number, least, most] = [input.value.trim(), Number(input.value), Number(input.min), Number(input.max)];
  if (text !== "" && Number.isInteger(number) && number >= least && number <= most) {
    keep(input, number);
    return number;
  }
  const why = text === "" ? "This is no number." : !Number.isInteger(number) ? `${text} is no whole number.` : `${text} is too ${number < least ? "small" : "large"}.`;
  say(`${why} ${what}: at least ${least.toLocaleString("en")} and at most ${most.toLocaleString("en")}. Nothing has changed.`);
  input.value = input.defaultValue;
  return null;
}

/** Put a number into a field, to which it returns if somebody writes what is none. */
export const keep = (input, number) => (input.value = input.defaultValue = String(number));

let fields = 0;

/** A control with its label before it. */
export function field(label, control) {
  control.id ||= `field-${++fields}`;
  return element("span", { class: "field" }, element("label", { for: control.id }, label), control);
}

/** A button that copies a text, and says so. */
export function copyButton(label, text) {
  const copy = button(label, async () => {
    const failed = await Promise.resolve(navigator.clipboard).then((clipboard) => clipboard.writeText(text())).catch(() => "The browser forbids it");
    copy.textContent = failed ?? "Copied";
    setTimeout(() => (copy.textContent = label), 1500);
  });
  return copy;
}

/** Give a text to the user as a file. */
export function save(name, text, type = "text/plain") {
  const link = element("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
