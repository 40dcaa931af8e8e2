/** Takes a picture of the server apart, so that the page can set its parts: the headline, the board and the legend. */

import { shape } from "./dom.js";

const SVG = "http://www.w3.org/2000/svg";

/** `{svg, headline, legend: [{sign, meaning}]}` of a picture. One that is no grid stays as it is. */
export function picture(markup) {
  const svg = document.importNode(new DOMParser().parseFromString(markup, "image/svg+xml").documentElement, true);
  svg.querySelectorAll("script, foreignObject").forEach((node) => node.remove());
  for (const node of [svg, ...svg.querySelectorAll("*")])
    for (const { name } of [...node.attributes]) if (name.startsWith("on") || name.endsWith("href")) node.removeAttribute(name);
  const headline = [...svg.querySelectorAll(".headline text")].map((text) => text.textContent).join(" ");
  const legend = [...svg.querySelectorAll(".legend > g")].map((sign) => {
    let meaning = "";
    for (let next = sign.nextElementSibling; next?.tagName === "text"; next = next.nextElementSibling)
      meaning += `${meaning && " "}${next.textContent}`;
    return { sign: sign.innerHTML, meaning };
  });
  if (layer(svg)) crop(svg);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", [svg.querySelector("title")?.textContent, headline].filter(Boolean).join(". "));
  svg.querySelector("title")?.remove();
  return { svg, headline, legend };
}

/** The part of a picture that is drawn in cells. */
export const layer = (svg) => svg.querySelector(":scope > g.cells");

/** Whether a picture holds letters alone, which the page shows better as text. */
export const isText = (svg) => !svg.querySelector("path, circle, line, polyline, polygon, ellipse, rect ~ rect");

/** Leave the board with its numbers alone. */
function crop(svg) {
  const [left, top, side] = layer(svg).getAttribute("transform").match(/[\d.]+/g).map(Number);
  const font = Number(svg.querySelector(".numbers").getAttribute("font-size")) / 0.85;
  const [rows, columns] = size(svg);
  svg.style.setProperty("--width", (left + columns * side + 0.3 * font) / side);
  svg.querySelector(".headline")?.remove();
  svg.querySelector(".legend")?.remove();
  const [width, height] = [left + columns * side + 0.3 * font, rows * side + 1.5 * font + 0.1 * font];
  svg.setAttribute("viewBox", `0 ${top - 1.5 * font} ${width} ${height}`);
  svg.removeAttribute("width");
  svg.removeAttribute("height");
}

/** Rows and columns, as the lines of the grid tell them; a very large board has no lines, and its outline is not known. */
function size(svg) {
  const lines = layer(svg).firstElementChild?.getAttribute("d") ?? "";
  return [(lines.match(/H/g)?.length ?? 2) - 1, (lines.match(/V/g)?.length ?? 2) - 1];
}

/** Mark cells ([row, column], from 0) that stand for a difference: a thick double frame, so that it needs no colour. */
export function mark(svg, cells) {
  const target = layer(svg);
  if (!target) return;
  for (const [row, column] of cells)
    target.append(
      shape(`<path class="differs" d="M${column + 0.04} ${row + 0.04}h.92v.92h-.92zM${column + 0.2} ${row + 0.2}h.6v.6h-.6z"/>`),
    );
}

/** The cell [row, column] under a pointer, from 0; null outside the board. */
export function cellAt(svg, event) {
  const target = layer(svg);
  if (!target) return null;
  const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(target.getScreenCTM().inverse());
  const [row, column] = [Math.floor(place.y), Math.floor(place.x)];
  const [rows, columns] = size(svg);
  return row >= 0 && row < rows && column >= 0 && column < columns ? [row, column] : null;
}

/** A legend's entries as items of a list, each meaning once. */
export function legendItems(entries) {
  const known = new Map(entries.map((entry) => [entry.meaning, entry]));
  return [...known.values()].map(({ sign, meaning }) => {
    const item = document.createElement("li");
    const drawn = document.createElementNS(SVG, "svg");
    for (const [name, value] of Object.entries({ viewBox: "-.05 -.05 1.1 1.1", class: "board sign", "aria-hidden": "true" }))
      drawn.setAttribute(name, value);
    drawn.innerHTML = `<g class="cells">${sign}</g>`;
    item.append(drawn, meaning);
    return item;
  });
}
