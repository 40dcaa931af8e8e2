/** Beams to play: turn the turrets. See static/play.js for what a game is. */

import { isInside, pairOf, placeOf } from "/static/board.js";
import { counted } from "/static/dom.js";
import { line, signsOf } from "/static/signs.js";

/** The steps of the two beams of a turret. */
const ARMS = { "-": [[0, -1], [0, 1]], "|": [[-1, 0], [1, 0]] };

export class Game {
  static rules = "Turn the turrets. Each open cell needs a beam, and no beam may enter a turret.";

  constructor(page, answers) {
    Object.assign(this, { page, board: page.board });
    const proved = [...answers.values()].filter(({ verdict }) => verdict === "PROVED");
    this.answer = proved.find(({ steps }) => steps?.length) ?? proved[0]; // a program says no with no steps
    this.#look();
    this.opening = this.over ? "This board is solved already." : `Choose a turret to turn it. ${this.#state()}`;
  }

  get signs() {
    return signsOf(this.page.puzzle, this.board);
  }

  get words() {
    const lit = new Set(this.beams.flatMap(({ path }) => path));
    const { names } = this.page.editor;
    return [...this.board.cells].map((symbol, cell) => names[symbol] + (symbol !== "." ? "" : lit.has(cell) ? ", lit" : ", dark"));
  }

  get marks() {
    return this.beams.map(({ points, hits }) => line(`M${points.join("L")}`, hits ? 0.14 : 0.07, hits ? "bad" : "light")).join("");
  }

  move(cell) {
    const symbol = this.board.cells[cell];
    if (!(symbol in ARMS)) return { says: `There is no turret at ${this.#place(cell)}.`, wrong: true };
    this.board = this.board.with(cell, symbol === "-" ? "|" : "-");
    this.#look();
    const wrong = this.beams.some(({ hits }) => hits);
    return { says: this.#state(), wrong, moved: true, frames: this.#frames() };
  }

  hint() {
    const { answer } = this;
    if (!answer) return { says: "No answer to this board is proved, so there is no hint." };
    if (!answer.fields.possible) return { says: "No way to turn them does it: this board is impossible.", steps: answer.steps };
    const goal = answer.fields.board.join("");
    const cell = [...goal].findIndex((symbol, k) => symbol !== this.board.cells[k]);
    const says = `${answer.contender} turns the turret at ${this.#place(cell)} the other way.`;
    return { says, frames: { asked: [this.#pair(cell)] } };
  }

  /** Follow all beams. */
  #look() {
    const { cells } = this.board;
    this.beams = [...cells].flatMap((symbol, cell) => (ARMS[symbol] ?? []).map((step) => this.#beam(cell, step)));
    const lit = new Set(this.beams.flatMap(({ path }) => path));
    this.dark = [...cells].flatMap((symbol, cell) => (symbol === "." && !lit.has(cell) ? [cell] : []));
    this.over = !this.dark.length && !this.beams.some(({ hits }) => hits);
  }

  /** The cells that a beam enters, up to a turret, a wall or the edge. */
  #beam(turret, [down, right]) {
    const { board } = this;
    const path = [];
    let [row, column] = this.#pair(turret);
    const points = [`${column + 0.5} ${row + 0.5}`];
    for (;;) {
      const at = [row + down, column + right];
      const cell = at[0] * board.columns + at[1];
      const symbol = isInside(at, board.rows, board.columns) ? board.cells[cell] : "#";
      if (symbol === "#") return { turret, path, points: [...points, `${column + 0.5 + right / 2} ${row + 0.5 + down / 2}`], hits: false };
      path.push(cell);
      [row, column] = at;
      points.push(`${column + 0.5} ${row + 0.5}`);
      if (symbol in ARMS) return { turret, path, points, hits: true };
      if (symbol === "/") [down, right] = [-right, -down];
      if (symbol === "\\") [down, right] = [right, down];
    }
  }

  #frames() {
    const hit = this.beams.filter(({ hits }) => hits).map(({ path }) => this.#pair(path.at(-1)));
    return hit.length ? { faulty: hit } : { asked: this.dark.slice(0, 1).map((cell) => this.#pair(cell)) };
  }

  #state() {
    const beam = this.beams.find(({ hits }) => hits);
    const cell = beam?.path.at(-1);
    if (beam) return `The beam of the turret at ${this.#place(beam.turret)} enters ${cell === beam.turret ? "its own cell" : `the turret at ${this.#place(cell)}`}.`;
    if (this.over) return "You have done it: every open cell is lit, and no turret is hit.";
    return `No turret is hit. ${counted(this.dark.length, "open cell")} without a beam, such as ${this.#place(this.dark[0])}.`;
  }

  #pair(cell) {
    return pairOf(cell, this.board.columns);
  }

  #place(cell) {
    return placeOf(this.#pair(cell));
  }
}
