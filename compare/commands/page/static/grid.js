/** The cells of a board or of a picture: one stop of the Tab key, arrow keys move the cursor within them; and a board to draw on. */

import { isInside, pairOf } from "./board.js";
import { element, escaped, shape } from "./dom.js";

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** Milliseconds that a finger rests on a cell until it paints, and pixels that it may move meanwhile. */
const HOLD = 350;
const STILL = 10;

/** The markup of rows of cells; `inner` stands in each. */
const cellRows = (rows, columns, inner) =>
  Array.from({ length: rows }, (_, y) => {
    const cell = (x) => `<g role="gridcell" tabindex="-1" transform="translate(${x} ${y})">${inner}</g>`;
    return `<g role="row">${Array.from({ length: columns }, (_, x) => cell(x)).join("")}</g>`;
  }).join("");

const RING = '<rect aria-hidden="true" class="ring" width="1" height="1"/>';

/** What a cell is called. */
export function named(cell, columns, words) {
  const [row, column] = pairOf(cell, columns);
  return `row ${row + 1} column ${column + 1}: ${words}`;
}

/** The cell [row, column] under a pointer; null outside the board. `layer` is drawn in cells. */
export function cellUnder(layer, rows, columns, event) {
  const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(layer.getScreenCTM().inverse());
  const cell = [Math.floor(place.y), Math.floor(place.x)];
  return isInside(cell, rows, columns) ? cell : null;
}

/** The cursor among the cells of an SVG that has `cellRows` and a ring. */
class Cells {
  /**
   * `onkey(cell, event)`: a key that does not move the cursor; true if it was of use. `onmove(from, to, event)`: an arrow key.
   * `onpoint(cell)`: the cell that the cursor has come to.
   */
  constructor(svg, rows, columns, handlers) {
    Object.assign(this, { rows, columns, handlers, cursor: 0 });
    this.all = [...svg.querySelectorAll("[role=gridcell]")];
    this.ring = svg.querySelector(".ring");
    svg.setAttribute("tabindex", "-1"); // a listener for the focus would make it a second stop of the Tab key
    svg.addEventListener("keydown", (event) => this.#key(event));
    svg.addEventListener("focusin", ({ target }) => {
      const cell = this.all.indexOf(target);
      if (cell >= 0 && cell !== this.cursor) this.move(cell);
    });
    this.move(0);
  }

  /** Put the cursor on a cell. */
  move(cell) {
    this.all[this.cursor].setAttribute("tabindex", "-1");
    this.cursor = cell;
    this.all[cell].setAttribute("tabindex", "0");
    const [row, column] = pairOf(cell, this.columns);
    this.ring.setAttribute("x", column);
    this.ring.setAttribute("y", row);
  }

  focus() {
    this.all[this.cursor].focus({ preventScroll: true });
  }

  #key(event) {
    const from = this.cursor;
    const [row, column] = pairOf(from, this.columns);
    let to = null;
    if (event.key in STEPS && !event.ctrlKey && !event.altKey && !event.metaKey) {
      const [down, right] = STEPS[event.key];
      const inside = isInside([row + down, column + right], this.rows, this.columns);
      to = inside ? from + down * this.columns + right : from;
    } else if (event.key === "Home") to = event.ctrlKey ? 0 : row * this.columns;
    else if (event.key === "End") to = event.ctrlKey ? this.rows * this.columns - 1 : (row + 1) * this.columns - 1;
    if (to === null) {
      if (this.handlers.onkey?.(from, event)) event.preventDefault();
      return;
    }
    event.preventDefault();
    this.move(to);
    this.focus();
    this.all[to].scrollIntoView({ block: "nearest", inline: "nearest" });
    this.handlers.onmove?.(from, to, event);
    this.handlers.onpoint?.(to);
  }
}

/**
 * Make a picture that is drawn in cells a grid whose cells can be read one by one: `words[k]` says what cell k is. `onpoint(cell)`: the
 * cursor has come to a cell.
 */
export function readable(svg, columns, words, onpoint) {
  for (const part of svg.children) part.setAttribute("aria-hidden", "true");
  const rows = words.length / columns;
  svg.append(shape(`<g class="names">${cellRows(rows, columns, '<rect width="1" height="1"/>')}${RING}</g>`));
  svg.setAttribute("role", "grid");
  const { all } = new Cells(svg, rows, columns, { onpoint });
  all.forEach((cell, k) => cell.setAttribute("aria-label", named(k, columns, words[k])));
}

export class Grid {
  /**
   * `onpress(cell, event)`: a cell is clicked, tapped or held. `ondrag(cell)`: the pointer was dragged to another cell.
   * `onkey`, `onmove`, `onpoint`: see `Cells`; `onpoint(cell)` also if the mouse is on a cell, and `onpoint(null)` once it has left.
   */
  constructor(label, handlers = {}) {
    Object.assign(this, { label, handlers, rows: 0, columns: 0 });
    this.element = element("div", { class: "grid" });
  }

  /** Draw `signs[k]` (SVG) in cell k, which is `words[k]`. Only what has changed is drawn anew. */
  show(rows, columns, signs, words) {
    if (rows !== this.rows || columns !== this.columns) this.#frame(rows, columns);
    this.cells.all.forEach((cell, k) => {
      if (this.signs[k] !== signs[k]) cell.lastElementChild.innerHTML = signs[k];
      if (this.words[k] !== words[k]) cell.setAttribute("aria-label", named(k, columns, words[k]));
    });
    this.signs = signs;
    this.words = words;
  }

  /** Put the cursor on a cell. */
  move(cell) {
    this.cells.move(cell);
  }

  /** The cell under a pointer; null outside the board. */
  at(event) {
    const cell = cellUnder(this.layer, this.rows, this.columns, event);
    return cell && cell[0] * this.columns + cell[1];
  }

  #frame(rows, columns) {
    const had = this.element.contains(document.activeElement);
    const [row, column] = this.cells ? pairOf(this.cells.cursor, this.columns) : [0, 0];
    Object.assign(this, { rows, columns, signs: [], words: [] });
    const { box, width, labels } = numbered(rows, columns);
    const lines =
      Array.from({ length: rows + 1 }, (_, y) => `M0 ${y}H${columns}`).join("") +
      Array.from({ length: columns + 1 }, (_, x) => `M${x} 0V${rows}`).join("");
    const svg = shape(
      `<svg role="grid" aria-label="${escaped(this.label)}" viewBox="${box.join(" ")}" ` +
        `style="--columns:${columns};--width:${width}">${labels}${cellRows(rows, columns, '<rect width="1" height="1"/><g></g>')}` +
        `<path aria-hidden="true" class="lines" d="${lines}"/>${RING}<g aria-hidden="true" class="marks"></g></svg>`,
    );
    this.layer = this.marks = svg.querySelector(".marks");
    this.cells = new Cells(svg, rows, columns, this.handlers);
    this.#listen(svg);
    this.element.replaceChildren(svg);
    this.move(Math.min(row, rows - 1) * columns + Math.min(column, columns - 1));
    if (had) this.cells.focus();
  }

  /**
   * The mouse paints at once. A finger scrolls and zooms; a tap is a click, and a finger that rests on a cell paints from there on.
   * A click without a pointer comes from assistive technology, or from a script.
   */
  #listen(svg) {
    const { onpress, ondrag, onpoint } = this.handlers;
    let last = null;
    let pressed = false;
    let touch = null;
    const press = (cell, event) => {
      this.move(cell);
      this.cells.focus();
      onpress?.(cell, event);
    };
    const rest = () => clearTimeout(touch?.timer);
    svg.addEventListener("pointerdown", (event) => {
      rest();
      touch = null;
      pressed = false;
      const cell = this.at(event);
      if (cell === null || event.button > 2 || event.button === 1 || !event.isPrimary) return;
      const begin = () => {
        last = cell;
        pressed = true;
        press(cell, event);
        if (ondrag) svg.setPointerCapture(event.pointerId);
      };
      if (event.pointerType === "touch") {
        if (ondrag) touch = { x: event.clientX, y: event.clientY, timer: setTimeout(begin, HOLD) };
        return;
      }
      event.preventDefault();
      begin();
    });
    svg.addEventListener("pointermove", (event) => {
      const cell = this.at(event);
      if (last === null && event.pointerType !== "touch") onpoint?.(cell);
      if (touch && last === null && Math.hypot(event.clientX - touch.x, event.clientY - touch.y) > STILL) rest();
      if (last === null || cell === null || cell === last || !ondrag) return;
      for (const each of this.#between(last, cell)) ondrag(each);
      last = cell;
    });
    const release = ({ button }) => {
      rest();
      last = null;
      if (button !== 0) pressed = false;
    };
    svg.addEventListener("pointerup", release);
    svg.addEventListener("pointercancel", release);
    svg.addEventListener("pointerleave", () => onpoint?.(null));
    svg.addEventListener("touchmove", (event) => last !== null && event.preventDefault(), { passive: false });
    svg.addEventListener("contextmenu", (event) => event.preventDefault());
    svg.addEventListener("click", (event) => {
      const cell = this.cells.all.indexOf(event.target.closest("[role=gridcell]"));
      if (!pressed && cell >= 0) press(cell, event);
      pressed = false;
    });
  }

  /** The cells on the straight way from one cell to another, so that a quick stroke has no gaps. */
  #between(from, to) {
    const [r, c] = pairOf(from, this.columns);
    const [dr, dc] = [pairOf(to, this.columns)[0] - r, pairOf(to, this.columns)[1] - c];
    const steps = Math.max(Math.abs(dr), Math.abs(dc));
    return Array.from({ length: steps }, (_, k) => {
      const share = (k + 1) / steps;
      return Math.round(r + dr * share) * this.columns + Math.round(c + dc * share);
    });
  }
}

/**
 * The numbers of rows and columns around a board, counted from 1, so few that none touches the next, as `labels`. With them it takes this
 * `box`, and this `width`, in cells.
 */
export function numbered(rows, columns) {
  const font = Math.min(0.3 * Math.max(1, columns / 12), 1.6);
  const margin = font * (0.62 * String(rows).length + 0.7);
  const beside = Math.max(0.1, font * 0.31 * String(columns).length - 0.4); // the last number ends there
  const width = columns + margin + beside;
  const labels = `<g aria-hidden="true" class="numbers" font-size="${font}">${numbers(rows, columns, font, margin)}</g>`;
  return { box: [-margin, -1.5 * font, width, rows + 1.5 * font + 0.1], width, labels };
}

function numbers(rows, columns, font, margin) {
  const chosen = (count, room) => {
    const step = [1, 2, 5, 10, 20, 50].find((each) => each >= room) ?? 100;
    return Array.from({ length: count }, (_, k) => k + 1).filter((k) => (step === 2 ? k % 2 : k === 1 || k % step === 0));
  };
  const across = chosen(columns, font * (0.6 * String(columns).length + 0.4));
  const down = chosen(rows, font * 1.2);
  return (
    across.map((k) => `<text x="${k - 0.5}" y="${-0.75 * font}">${k}</text>`).join("") +
    down.map((k) => `<text x="${-margin / 2}" y="${k - 0.5}">${k}</text>`).join("")
  );
}
