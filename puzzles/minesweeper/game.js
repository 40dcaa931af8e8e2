/** Minesweeper to play. See static/play.js for what a game is. */

import { ask, percent } from "./page.js";
import { fromOne, pairOf, placeOf } from "/static/board.js";
import { counted } from "/static/dom.js";
import { live } from "/static/server.js";
import { signsOf } from "/static/signs.js";

/** What the first proved answer says under this name. Not every solver says all: the model has layouts, but no chances. */
const proved = (answers, name) => [...answers.values()].find(({ fields, verdict }) => fields?.[name] && verdict === "PROVED")?.fields;

/** Open what is certainly safe, flag what is certainly a mine. The mines lie where a layout of the answer has them; a game that goes on keeps it. */
export class Game {
  static rules = "Open each cell that is certainly safe, and flag each that is certainly a mine: a right click, Shift, or the button Flag.";
  static other = "Flag";
  static fits = (answers) => Boolean(proved(answers, "layout"));

  constructor(page, answers, way, before) {
    const fields = proved(answers, "layout");
    const chances = proved(answers, "probability")?.probability.flat();
    Object.assign(this, { page, board: page.board, chances, over: false });
    this.certain = fields.board.join("");
    this.layout = before?.layout ?? fields.layout.join("");
    this.opening = this.#left || this.#end();
  }

  get signs() {
    return signsOf(this.page.puzzle, this.board);
  }

  get words() {
    return [...this.board.cells].map((symbol) => this.page.editor.names[symbol] ?? symbol);
  }

  move(cell, flag) {
    const [place, symbol, certain] = [this.#place(cell), this.board.cells[cell], this.certain[cell]];
    if (symbol !== "#") return { says: `The cell at ${place} is ${symbol === "X" ? "a mine" : "open"} already.`, wrong: true };
    if (certain === "#") return this.#guess(cell, flag);
    if (flag !== (certain === "X")) return { says: `The cell at ${place} is ${flag ? "safe" : "a mine"}.`, wrong: true, why: () => this.#why(cell) };
    this.board = this.board.with(cell, flag ? "X" : this.#number(cell));
    return { says: `${place} is ${flag ? "a mine" : "safe"}. ${this.#left || this.#end()}`, moved: true };
  }

  /** A cell that is certain, and why. */
  hint() {
    const cell = [...this.certain].findIndex((symbol, k) => symbol !== "#" && this.board.cells[k] === "#");
    return { says: `Look at ${this.#place(cell)}.`, frames: { asked: [pairOf(cell, this.board.columns)] }, why: () => this.#why(cell) };
  }

  /** The board as it is now; null if nothing more can be opened on it, or if nobody would solve it. */
  next() {
    return live && !this.lost && this.board.cells.includes("#") && this.board.cells !== this.page.board.cells ? this.board : null;
  }

  /** What happens to somebody who does not know: a flag is refused; a cell is opened, and it may be a mine. */
  #guess(cell, flag) {
    const chance = this.chances?.[cell];
    const says = `The cell at ${this.#place(cell)} was not certain${chance ? `: a mine with probability ${percent(chance)}` : ""}.`;
    if (flag) return { says, wrong: true };
    if (this.layout[cell] === "X") {
      this.over = this.lost = true;
      this.board = this.board.with(cell, "X");
      return { says: `${says} It is a mine: you lose.`, wrong: true, moved: true, frames: { faulty: [pairOf(cell, this.board.columns)] } };
    }
    this.board = this.board.with(cell, this.#number(cell));
    return { says: `${says} You were lucky.`, wrong: true, moved: true };
  }

  async #why(cell) {
    const { text, fields: { why } } = await ask(this.page, "why", this.#place(cell), "-play");
    return { says: text.split("\n")[0], frames: { clue: why.clues.map(fromOne), asked: [pairOf(cell, this.board.columns)] }, steps: why.steps };
  }

  /** What is still to be found; empty if nothing is. */
  get #left() {
    const count = (kind) => [...this.certain].filter((symbol, k) => symbol === kind && this.board.cells[k] === "#").length;
    const [safe, mines] = [count("O"), count("X")];
    return safe + mines ? `Left: ${counted(safe, "safe cell")} and ${counted(mines, "mine")} that are certain.` : "";
  }

  #end() {
    this.over = true;
    return this.board.cells.includes("#") ? "You have found all that is certain: you win." : "The board is done: you win.";
  }

  /** What a cell shows once it is open: the mines around it. */
  #number(cell) {
    const { columns } = this.board;
    const [row, column] = pairOf(cell, columns);
    const around = [...this.layout].filter((symbol, k) => symbol === "X" && Math.max(Math.abs(Math.floor(k / columns) - row), Math.abs((k % columns) - column)) === 1);
    return around.length ? String(around.length) : ".";
  }

  #place(cell) {
    return placeOf(pairOf(cell, this.board.columns));
  }
}
