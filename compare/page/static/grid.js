/** A board on the page: an SVG that is one stop of the Tab key. Arrow keys move the cursor within it. */

import { element, escaped, shape } from "./dom.js";

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** Columns from which a board is broader than a phone. */
const BROAD = 14;

export class Grid {
  /**
   * `onpress(cell, event)`: the pointer went down on a cell. `ondrag(cell)`: it was dragged to another cell. `onrelease()`.
   * `onkey(cell, event)`: a key that does not move the cursor; true if it was of use. `onmove(from, to, event)`: an arrow key.
   * `onpoint(cell)`: the cell that the pointer or the cursor is on; null if there is none.
   */
  constructor(label, handlers = {}) {
    this.label = label;
    this.handlers = handlers;
    this.cursor = 0;
    this.rows = this.columns = 0;
    this.element = element("div", { class: "grid" });
  }

  /** Draw `signs[k]` (SVG) in cell k, which is called `names[k]`. Only what has changed is drawn anew. */
  show(rows, columns, signs, names) {
    if (rows !== this.rows || columns !== this.columns) this.#frame(rows, columns);
    this.cells.forEach((cell, k) => {
      if (this.signs[k] !== signs[k]) cell.lastElementChild.innerHTML = signs[k];
      if (this.names[k] !== names[k]) cell.setAttribute("aria-label", names[k]);
    });
    this.signs = signs;
    this.names = names;
  }

  focus() {
    this.cells[this.cursor].focus({ preventScroll: true });
  }

  /** Put the cursor on a cell. */
  move(cell) {
    this.cells[this.cursor]?.setAttribute("tabindex", "-1");
    this.cursor = cell;
    this.cells[cell].setAttribute("tabindex", "0");
    this.ring.setAttribute("x", cell % this.columns);
    this.ring.setAttribute("y", Math.floor(cell / this.columns));
  }

  /** The cell under a pointer; null outside the board. */
  at(event) {
    const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.layer.getScreenCTM().inverse());
    const [row, column] = [Math.floor(place.y), Math.floor(place.x)];
    return row >= 0 && row < this.rows && column >= 0 && column < this.columns ? row * this.columns + column : null;
  }

  #frame(rows, columns) {
    const had = this.element.contains(document.activeElement);
    const [row, column] = this.columns ? [Math.floor(this.cursor / this.columns), this.cursor % this.columns] : [0, 0];
    Object.assign(this, { rows, columns, signs: [], names: [] });
    this.element.classList.toggle("broad", columns > BROAD);
    const font = Math.min(0.3 * Math.max(1, columns / 12), 1.6);
    const margin = font * (0.62 * String(rows).length + 0.7);
    const body = Array.from({ length: rows }, (_, y) => {
      const cells = Array.from(
        { length: columns },
        (_, x) => `<g role="gridcell" tabindex="-1" transform="translate(${x} ${y})"><rect width="1" height="1"/><g></g></g>`,
      );
      return `<g role="row">${cells.join("")}</g>`;
    });
    const lines =
      Array.from({ length: rows + 1 }, (_, y) => `M0 ${y}H${columns}`).join("") +
      Array.from({ length: columns + 1 }, (_, x) => `M${x} 0V${rows}`).join("");
    const svg = shape(
      `<svg role="grid" aria-label="${escaped(this.label)}" viewBox="${-margin} ${-1.5 * font} ${columns + margin + 0.1} ${rows + 1.5 * font + 0.1}" ` +
        `style="--columns:${columns};--width:${columns + margin + 0.1}"><g aria-hidden="true" class="numbers" font-size="${font}">${numbers(rows, columns, font, margin)}</g>` +
        `${body.join("")}<path aria-hidden="true" class="lines" d="${lines}"/>` +
        '<rect aria-hidden="true" class="ring" x="0" y="0" width="1" height="1"/><g aria-hidden="true" class="marks"></g></svg>',
    );
    this.cells = [...svg.querySelectorAll("[role=gridcell]")];
    this.layer = this.marks = svg.querySelector(".marks");
    this.ring = svg.querySelector(".ring");
    this.#listen(svg);
    this.svg = svg;
    this.element.replaceChildren(svg);
    this.cursor = 0;
    this.move(Math.min(row, rows - 1) * columns + Math.min(column, columns - 1));
    if (had) this.focus();
  }

  #listen(svg) {
    const { onpress, ondrag, onrelease, onpoint } = this.handlers;
    let last = null;
    svg.addEventListener("pointerdown", (event) => {
      const cell = this.at(event);
      if (cell === null || event.button > 2 || event.button === 1) return;
      event.preventDefault();
      this.move(cell);
      this.focus();
      last = cell;
      onpress?.(cell, event);
      if (ondrag) svg.setPointerCapture(event.pointerId);
    });
    svg.addEventListener("pointermove", (event) => {
      const cell = this.at(event);
      if (last === null) onpoint?.(cell);
      if (last === null || cell === null || cell === last || !ondrag) return;
      for (const each of this.#between(last, cell)) ondrag(each);
      last = cell;
    });
    const release = () => {
      if (last !== null) onrelease?.();
      last = null;
    };
    svg.addEventListener("pointerup", release);
    svg.addEventListener("pointercancel", release);
    svg.addEventListener("pointerleave", () => onpoint?.(null));
    svg.addEventListener("contextmenu", (event) => event.preventDefault());
    svg.addEventListener("keydown", (event) => this.#key(event));
  }

  /** The cells on the straight way from one cell to another, so that a quick stroke has no gaps. */
  #between(from, to) {
    const [r, c] = [Math.floor(from / this.columns), from % this.columns];
    const [dr, dc] = [Math.floor(to / this.columns) - r, (to % this.columns) - c];
    const steps = Math.max(Math.abs(dr), Math.abs(dc));
    return Array.from({ length: steps }, (_, k) => {
      const share = (k + 1) / steps;
      return Math.round(r + dr * share) * this.columns + Math.round(c + dc * share);
    });
  }

  #key(event) {
    const from = this.cursor;
    const [row, column] = [Math.floor(from / this.columns), from % this.columns];
    let to = null;
    if (event.key in STEPS && !event.ctrlKey && !event.altKey && !event.metaKey) {
      const [down, right] = STEPS[event.key];
      const [r, c] = [row + down, column + right];
      to = r >= 0 && r < this.rows && c >= 0 && c < this.columns ? r * this.columns + c : from;
    } else if (event.key === "Home") to = event.ctrlKey ? 0 : row * this.columns;
    else if (event.key === "End") to = event.ctrlKey ? this.rows * this.columns - 1 : (row + 1) * this.columns - 1;
    if (to === null) {
      if (this.handlers.onkey?.(from, event)) event.preventDefault();
      return;
    }
    event.preventDefault();
    this.move(to);
    this.focus();
    this.handlers.onmove?.(from, to, event);
    this.handlers.onpoint?.(to);
  }
}

/** The numbers of rows and columns, counted from 1, so few that none touches the next. */
function numbers(rows, columns, font, margin) {
  const chosen = (count, room) => {
    const step = [1, 2, 5, 10, 20, 50].find((each) => each >= room) ?? 100;
    return Array.from({ length: count }, (_, k) => k + 1).filter((k) => k === 1 || k % step === 0);
  };
  const across = chosen(columns, font * (0.6 * String(columns).length + 0.4));
  const down = chosen(rows, font * 1.2);
  return (
    across.map((k) => `<text x="${k - 0.5}" y="${-0.75 * font}">${k}</text>`).join("") +
    down.map((k) => `<text x="${-margin / 2}" y="${k - 0.5}">${k}</text>`).join("")
  );
}
