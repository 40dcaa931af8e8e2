/** A board: its cells as one string, row by row, and the numbers in its header. A board never changes. */

/** [row, column] of a cell, from 0. */
export const pairOf = (cell, columns) => [Math.floor(cell / columns), cell % columns];

/** [row, column] from 0 of one from 1, as answers name cells. */
export const fromOne = ([row, column]) => [row - 1, column - 1];

/** Whether [row, column] is a cell of a board of so many rows and columns. */
export const isInside = ([row, column], rows, columns) => row >= 0 && row < rows && column >= 0 && column < columns;

/** What people call a cell [row, column]. */
export const placeOf = ([row, column]) => `${row + 1},${column + 1}`;

export class Board {
  constructor(rows, columns, cells, numbers = {}) {
    Object.assign(this, { rows, columns, cells, numbers });
  }

  /** The board that the server has read. */
  static of({ rows, columns, lines, numbers }) {
    return new Board(rows, columns, lines.join(""), numbers ?? {});
  }

  /**
   * The board of a text that is what `text` writes, though the puzzle may refuse it: its size is that of its rows, and it holds symbols of
   * the puzzle alone. Else null.
   */
  static read(text, puzzle) {
    const [header, ...rows] = text.slice(puzzle.prefix.length).trimEnd().split("\n");
    const numbers = header.split(" ").slice(puzzle.header.split(" ").length).map(Number);
    const named = Object.fromEntries(puzzle.numbers.map(({ name }, k) => [name, numbers[k] ?? null]));
    const board = new Board(rows.length, rows[0]?.length ?? 0, rows.join(""), named);
    const known = new Set(puzzle.symbols.map(({ symbol }) => symbol));
    const drawn = 0 < board.cells.length && board.cells.length <= puzzle.largest ** 2 && [...board.cells].every((each) => known.has(each));
    return drawn && board.text(puzzle).trimEnd() === text.trimEnd() ? board : null;
  }

  static empty(rows, columns, symbol) {
    return new Board(rows, columns, symbol.repeat(rows * columns));
  }

  get lines() {
    return Array.from({ length: this.rows }, (_, row) => this.cells.slice(row * this.columns, (row + 1) * this.columns));
  }

  with(cell, symbol) {
    return new Board(this.rows, this.columns, this.cells.slice(0, cell) + symbol + this.cells.slice(cell + 1), this.numbers);
  }

  withNumber(name, value) {
    return new Board(this.rows, this.columns, this.cells, { ...this.numbers, [name]: value });
  }

  /** The same cells in another frame; new cells hold `symbol`. */
  resized(rows, columns, symbol) {
    const kept = this.lines.slice(0, rows).map((line) => line.slice(0, columns).padEnd(columns, symbol));
    while (kept.length < rows) kept.push(symbol.repeat(columns));
    return new Board(rows, columns, kept.join(""), this.numbers);
  }

  /** The text of an input file with this board alone. */
  text(puzzle) {
    const sizes = puzzle.header === "rows" ? [this.rows] : [this.rows, this.columns];
    const numbers = puzzle.numbers.map(({ name }) => this.numbers[name]).filter((number) => number !== null && number !== undefined);
    return `${puzzle.prefix}${[...sizes, ...numbers].join(" ")}\n${this.lines.map((line) => `${line}\n`).join("")}`;
  }
}

/** The boards before and after the one that is shown. */
export class History {
  constructor(most = 500) {
    Object.assign(this, { most, before: [], after: [] });
  }

  add(state) {
    this.before.push(state);
    if (this.before.length > this.most) this.before.shift();
    this.after = [];
  }

  /** The state before (or, with `forward`, after) the one given, which is kept for the way back; null if there is none. */
  step(current, forward = false) {
    const [from, to] = forward ? [this.after, this.before] : [this.before, this.after];
    if (!from.length) return null;
    to.push(current);
    return from.pop();
  }
}
