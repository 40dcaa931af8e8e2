/** The board that one draws: clicks, strokes, typed symbols, its palette, its edges and its number fields. */

import { button, byId, element, field, keep, numberField, shape, wholeNumber } from "./dom.js";
import { Grid } from "./grid.js";
import { live } from "./server.js";
import { frame, sign, signsOf } from "./signs.js";

const CYCLE = "";

/** Rows or columns from which a board can be zoomed, and how far: 1 is as wide as there is room. */
const LARGE = 40;
const ZOOMS = [1, 1.5, 2, 3, 4, 6];

export class Editor {
  /** `page.puzzle` and `page.board` are what is drawn; `page.change(board, {record})` puts another board there. */
  constructor(page) {
    this.page = page;
    this.brush = CYCLE;
    const drawing = {
      onpress: (cell, event) => this.#press(cell, event),
      ondrag: (cell) => this.#paint(cell),
      onkey: (cell, event) => this.#key(cell, event),
      onmove: (from, to, event) => event.shiftKey && this.#put(to, this.page.board.cells[from]),
    };
    const onpoint = (cell) => this.page.point(cell);
    this.grid = live ? new Grid("Board to draw on", { ...drawing, onpoint }) : new Grid("Board", { onpoint });
    byId("board").append(this.grid.element, ...(live ? this.#edges() : []));
    this.zooms = ["Zoom out", "Zoom in"].map((label, k) => button(label, () => this.#zoom(this.zoom + (k ? 1 : -1))));
    byId("zoom").append(...this.zooms);
  }

  /** Another puzzle: its symbols and its fields. */
  choose(puzzle) {
    this.brush = CYCLE;
    this.names = Object.fromEntries(puzzle.symbols.map(({ symbol, meaning }) => [symbol, meaning]));
    this.#palette(puzzle);
    this.#fields(puzzle);
  }

  show(board) {
    const words = [...board.cells].map((symbol) => this.names[symbol] ?? symbol);
    this.grid.show(board.rows, board.columns, signsOf(this.page.puzzle, board), words);
    this.explain("");
    this.#zoomed(Math.max(board.rows, board.columns));
    keep(this.rows, board.rows);
    keep(this.columns, board.columns);
    for (const [name, input] of Object.entries(this.numbers)) keep(input, board.numbers[name] ?? "");
  }

  /** Frame cells ([row, column], from 0) on the board, and say why; nothing to frame and to say clears both. */
  explain(sentence, frames = {}) {
    const drawn = Object.entries(frames).flatMap(([name, cells]) => cells.map((cell) => frame(name, cell)));
    this.grid.marks.innerHTML = drawn.join("");
    for (const cell of this.grid.element.querySelectorAll("[aria-invalid]")) cell.removeAttribute("aria-invalid");
    byId("said").textContent = sentence;
  }

  /** Frame cells ([row, column], from 0) that a sentence is about, beside what `explain` framed; none takes the frames away. */
  point(cells) {
    this.grid.marks.querySelectorAll(".pointed").forEach((each) => each.remove());
    this.grid.marks.insertAdjacentHTML("beforeend", cells.map((cell) => frame("pointed", cell)).join(""));
  }

  /** The server cannot read the board at this cell [row, column], from 0. */
  refuse(cell) {
    this.explain("", { faulty: [cell] });
    const at = cell[0] * this.page.board.columns + cell[1];
    this.grid.move(at);
    this.grid.cells.all[at].setAttribute("aria-invalid", "true");
  }

  get symbols() {
    return this.page.puzzle.symbols.map(({ symbol }) => symbol);
  }

  get first() {
    return this.symbols[0];
  }

  #put(cell, symbol, record = true) {
    const { board } = this.page;
    if (board.cells[cell] !== symbol) this.page.change(board.with(cell, symbol), { record });
  }

  #next(cell, backwards) {
    const { symbols } = this;
    const at = symbols.indexOf(this.page.board.cells[cell]);
    return symbols[(at + (backwards ? symbols.length - 1 : 1)) % symbols.length];
  }

  #press(cell, event) {
    const backwards = event.button === 2 || event.shiftKey;
    this.stroke = this.brush === CYCLE ? this.#next(cell, backwards) : backwards ? this.first : this.brush;
    this.begun = false;
    this.#paint(cell);
  }

  /** One cell of a stroke. A stroke is one step of undo. */
  #paint(cell) {
    if (this.page.board.cells[cell] === this.stroke) return;
    this.#put(cell, this.stroke, !this.begun);
    this.begun = true;
  }

  #key(cell, event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    const [{ key }, { symbols }] = [event, this];
    const typed = symbols.find((each) => each === key) ?? symbols.find((each) => each.toLowerCase() === key.toLowerCase());
    if (typed !== undefined && key !== " ") this.#put(cell, typed);
    else if (key === " " || key === "Enter") this.#put(cell, this.brush === CYCLE ? this.#next(cell, event.shiftKey) : this.brush);
    else if (key === "Delete" || key === "Backspace") this.#put(cell, this.first);
    else if ([...key].length === 1) this.page.say(`${key} is no symbol here. The symbols are: ${symbols.join(" ")}`);
    else return false;
    return true;
  }

  #palette(puzzle) {
    const choice = (symbol, meaning, drawn) => {
      const title = symbol === CYCLE ? meaning : `${meaning} (key ${symbol})`;
      const input = element("input", { type: "radio", name: "brush", value: symbol, checked: symbol === this.brush });
      input.addEventListener("change", () => (this.brush = symbol));
      return element("label", { class: "brush", title }, input, drawn, element("span", { class: "spoken" }, title));
    };
    const drawn = ({ symbol }) =>
      shape(`<svg viewBox="-.04 -.04 1.08 1.08" class="sign" aria-hidden="true"><path class="lines" d="M0 0h1v1h-1z"/>${sign(puzzle, symbol)}</svg>`);
    byId("palette").replaceChildren(
      choice(CYCLE, "the next symbol with each click", element("span", { class: "word", "aria-hidden": "true" }, "Cycle")),
      ...puzzle.symbols.map((symbol) => choice(symbol.symbol, symbol.meaning, drawn(symbol))),
    );
  }

  #fields(puzzle) {
    const number = (least, most, what, change, optional = false) => {
      const input = numberField(least, most);
      input.addEventListener("change", () => {
        const absent = optional && input.value === "" && !input.validity.badInput;
        const value = absent ? null : wholeNumber(input, what, (sentence) => this.page.say(sentence));
        if (absent || value !== null) change(value);
      });
      return input;
    };
    const { largest, square } = puzzle;
    const sides = square ? "Rows and columns" : "Rows";
    this.rows = number(1, largest, sides, (value) => this.#resize(value, square ? value : this.page.board.columns));
    this.columns = number(1, largest, "Columns", (value) => this.#resize(this.page.board.rows, value));
    const numbers = puzzle.numbers.map(({ name, label, optional }) => {
      const title = label[0].toUpperCase() + label.slice(1);
      const change = (value) => this.page.change(this.page.board.withNumber(name, value));
      return { name, label: optional ? `${title} (may be empty)` : title, input: number(0, largest ** 2, title, change, optional) };
    });
    this.numbers = Object.fromEntries(numbers.map(({ name, input }) => [name, input]));
    byId("sizes").replaceChildren(
      field(square ? "Size" : "Rows", this.rows),
      ...(square ? [] : [field("Columns", this.columns)]),
      ...numbers.map(({ label, input }) => field(label, input)),
    );
  }

  /** Large boards have buttons for the zoom of the board and of the answers. */
  #zoomed(side) {
    byId("zoom").hidden = side < LARGE;
    if (side < LARGE || this.zoom === undefined) this.#zoom(0);
  }

  #zoom(step) {
    this.zoom = step;
    const { style, classList } = document.body;
    style.setProperty("--zoom", ZOOMS[step]);
    classList.toggle("zoomed", step > 0);
    this.zooms[0].disabled = step === 0;
    this.zooms[1].disabled = step === ZOOMS.length - 1;
    if (step) this.grid.cells.all[this.grid.cells.cursor].scrollIntoView({ block: "nearest", inline: "center" });
  }

  #resize(rows, columns) {
    const { board } = this.page;
    if (rows !== board.rows || columns !== board.columns) this.page.change(board.resized(rows, columns, this.first));
    else this.show(board); // its fields have its size again
  }

  /** The right and lower edge and the corner, to be dragged. The number fields do the same for the keyboard. */
  #edges() {
    return ["right", "lower", "corner"].map((name) => {
      const edge = element("div", { class: `edge ${name}`, "aria-hidden": "true", title: "drag to resize" });
      let start = null;
      edge.addEventListener("pointerdown", (event) => {
        if (!this.page.board) return;
        event.preventDefault();
        edge.setPointerCapture(event.pointerId);
        const side = this.grid.layer.getScreenCTM().a;
        start = { x: event.clientX, y: event.clientY, side, board: this.page.board };
        this.begun = false;
      });
      edge.addEventListener("pointermove", (event) => {
        if (start === null) return;
        const { puzzle } = this.page;
        const within = (size, had) => Math.min(Math.max(size, 1), Math.max(puzzle.largest, had));
        const across = name === "lower" ? 0 : Math.round((event.clientX - start.x) / start.side);
        const down = name === "right" ? 0 : Math.round((event.clientY - start.y) / start.side);
        const both = Math.abs(across) > Math.abs(down) ? across : down;
        const [rows, columns] = puzzle.square ? [both, both] : [down, across];
        const before = start.board;
        const sizes = [within(before.rows + rows, before.rows), within(before.columns + columns, before.columns)];
        const board = before.resized(...sizes, this.first);
        if (board.rows === this.page.board.rows && board.columns === this.page.board.columns) return;
        this.page.change(board, { record: !this.begun });
        this.begun = true;
      });
      for (const end of ["pointerup", "pointercancel"]) edge.addEventListener(end, () => (start = null));
      return edge;
    });
  }
}
