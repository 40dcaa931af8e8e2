/** Takes a picture of the server apart, so that the page can set its parts: the headline, the board and the legend. */

import { fromOne, pairOf } from "./board.js";
import { element, shape } from "./dom.js";
import { cellUnder, named, numbered, readable } from "./grid.js";
import { differs, frame, halo } from "./signs.js";

let pictures = 0;

/** `{svg, headline, legend: [{sign, meaning}]}` of a picture. One that is no grid stays as it is. */
export function picture(markup) {
  const svg = document.importNode(new DOMParser().parseFromString(markup, "image/svg+xml").documentElement, true);
  svg.querySelectorAll("script, foreignObject").forEach((node) => node.remove());
  for (const node of [svg, ...svg.querySelectorAll("*")])
    for (const { name } of [...node.attributes]) if (name.startsWith("on") || name.endsWith("href")) node.removeAttribute(name);
  svg.dataset.picture = ++pictures;
  svg.querySelectorAll("style").forEach((style) => confine(style, pictures));
  const headline = [...svg.querySelectorAll(".headline text")].map((text) => text.textContent).join(" ");
  const legend = [...svg.querySelectorAll(".legend > g")].map((sign) => {
    let meaning = "";
    for (let next = sign.nextElementSibling; next?.tagName === "text"; next = next.nextElementSibling)
      meaning += `${meaning && " "}${next.textContent}`;
    return { sign: sign.innerHTML, meaning };
  });
  if (layer(svg)) crop(svg);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", [svg.querySelector("title")?.textContent, headline].filter(Boolean).join(". ") || "A picture without a title");
  svg.querySelector("title")?.remove();
  return { svg, headline, legend };
}

/** Keep the rules of a picture within it. What is no valid rule is left out, and so is what opens or ends a block on its own. */
function confine(style, picture) {
  const rules = new CSSStyleSheet();
  rules.replaceSync(style.textContent);
  const own = `[data-picture="${picture}"]`;
  const text = [...rules.cssRules].map(({ cssText }) => cssText).join("\n");
  style.textContent = `@scope (:has(> ${own})) to (:scope > :not(${own})) {${text}}`;
}

/** Cells of a picture that is made a grid at once; a larger one waits until the browser is idle, so that drawing stays quick. */
const AT_ONCE = 900;

/** `{words, columns, build}` of each picture that is, or becomes, a grid. */
const readings = new WeakMap();

/**
 * Make the picture of a board a grid of cells that screen readers read one by one: `words[k]` says what cell k is, in row-major
 * order. `onpoint(cell)`: the keyboard has come to a cell [row, column], from 0. `now`: somebody waits for it. Whether it is a board.
 */
export function read(svg, words, onpoint, now = false) {
  const [rows, columns] = layer(svg) ? size(svg) : [0, 0];
  if (!words?.length || rows * columns !== words.length) return false;
  const reading = { words: [...words], columns };
  reading.build = () => {
    if (!svg.querySelector(".names")) readable(svg, columns, reading.words, (cell) => onpoint?.(pairOf(cell, columns)));
  };
  readings.set(svg, reading);
  if (now || words.length <= AT_ONCE) reading.build();
  else (window.requestIdleCallback ?? setTimeout)(() => svg.isConnected && reading.build());
  return true;
}

/** Scroll to a cell [row, column], from 0, of a picture that is a grid, and give it the focus. */
export function goTo(svg, cell) {
  readings.get(svg)?.build();
  const place = cellOf(svg, cell);
  place?.focus({ preventScroll: true });
  place?.scrollIntoView({ block: "center", inline: "center" });
}

/** Rows or columns from which a few cells are hard to find, and how many those are. */
const LARGE = 30;
const FEW = 12;

/** Draw rings around a few cells [row, column], from 0, of a large board. Whether they were drawn. */
export function ring(svg, cells) {
  const side = layer(svg) ? Math.max(...size(svg)) : 0;
  if (side < LARGE || !cells?.length || cells.length > FEW) return false;
  layer(svg).append(...cells.map((cell) => shape(halo(cell, Math.max(1.5, side / 25)))));
  return true;
}

/** How symbols are drawn, by the pictures of boards that hold one of them: markup by symbol. */
export function signsIn(symbols) {
  const drawn = symbols.filter(({ svg }) => svg).map(({ symbol, svg }) => [symbol, layer(picture(svg).svg)]);
  const shapes = ([, cells]) => [...cells.children].slice(1); // the first one is the grid
  return Object.fromEntries(drawn.filter(([, cells]) => cells).map((each) => [each[0], shapes(each).map(({ outerHTML }) => outerHTML).join("")]));
}

/** The element of a cell [row, column], from 0, of a picture that is a grid. */
export const cellOf = (svg, [row, column]) => svg.querySelector(".names")?.children[row]?.children[column];

/** Add words to cells of a picture that is a grid. */
export function reread(svg, cells, more) {
  const reading = readings.get(svg);
  if (!reading) return;
  const { words, columns } = reading;
  for (const [row, column] of cells) {
    const at = row * columns + column;
    words[at] += `, ${more}`;
    cellOf(svg, [row, column])?.setAttribute("aria-label", named(at, columns, words[at]));
  }
}

/** Frame cells ([row, column], from 0) that a sentence is about; none takes the frames away. */
export function point(svg, cells) {
  const target = svg && layer(svg);
  if (!target) return;
  target.querySelectorAll(":scope > .pointed").forEach((each) => each.remove());
  target.append(...cells.map((cell) => shape(frame("pointed", cell))));
}

/**
 * A derivation as a list of sentences. `onpoint(cells)`: the pointer or the focus is on a sentence about these cells ([row, column],
 * from 0); no cells once it has left.
 */
export function derivation(steps, onpoint) {
  const sentence = ({ words, cells, depth }) => {
    const show = () => onpoint(cells.map(fromOne));
    const hide = () => onpoint([]);
    const on = { onpointerenter: show, onpointerleave: hide, onfocus: show, onblur: hide };
    return element("li", { tabindex: "0", style: `--depth:${depth}`, ...on }, words);
  };
  return element("ol", { class: "steps" }, ...steps.map(sentence));
}

/** The part of a picture that is drawn in cells. */
export const layer = (svg) => svg.querySelector(":scope > g.cells");

/** Whether a picture holds letters alone, which the page shows better as text. */
export const isText = (svg) => !svg.querySelector("path, circle, line, polyline, polygon, ellipse, rect ~ rect");

/** Columns from which a board that is far wider than high scrolls within its box. */
const WIDE = 40;

/** Leave the board alone, with numbers as the board has that one draws on. */
function crop(svg) {
  const [rows, columns] = size(svg);
  const { box, width, labels } = numbered(rows, columns);
  svg.querySelectorAll(".headline, .legend, .numbers").forEach((each) => each.remove());
  layer(svg).removeAttribute("transform");
  layer(svg).before(shape(labels));
  svg.style.setProperty("--columns", columns);
  svg.style.setProperty("--width", width);
  svg.classList.toggle("wide", columns > WIDE && columns > 2 * rows);
  svg.setAttribute("viewBox", box.join(" "));
  svg.removeAttribute("width");
  svg.removeAttribute("height");
}

/** Rows and columns, as the lines of the grid tell them; a very large board has no lines, and its outline is not known. */
function size(svg) {
  const lines = layer(svg).firstElementChild?.getAttribute("d") ?? "";
  return [(lines.match(/H/g)?.length ?? 2) - 1, (lines.match(/V/g)?.length ?? 2) - 1];
}

/** Mark cells ([row, column], from 0) about which the answers differ. */
export function mark(svg, cells) {
  const target = layer(svg);
  if (!target) return;
  reread(svg, cells, "the answers differ here");
  target.append(...cells.map((cell) => shape(differs(cell))));
}

/** The cell [row, column] under a pointer, from 0; null outside the board. */
export function cellAt(svg, event) {
  const target = layer(svg);
  return target && cellUnder(target, ...size(svg), event);
}

/** A legend's entries as items of a list, each meaning once. */
export function legendItems(entries) {
  const known = new Map(entries.map((entry) => [entry.meaning, entry]));
  const drawn = (sign) => `<svg viewBox="-.05 -.05 1.1 1.1" class="board sign" aria-hidden="true"><g class="cells">${sign}</g></svg>`;
  return [...known.values()].map(({ sign, meaning }) => element("li", {}, shape(drawn(sign)), meaning));
}
