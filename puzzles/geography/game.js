/** Geography against the machine. It plays by the matching of the answer, so it wins from where one can win. See static/play.js. */

import { fromOne, isInside, pairOf, placeOf } from "/static/board.js";
import { signsOf } from "/static/signs.js";

const withPairs = (answers) => [...answers.values()].find(({ fields, verdict }) => fields?.pairs && verdict === "PROVED");

export class Game {
  static rules = "Take turns to move the piece to an open cell beside it that it has not visited. Who cannot move loses.";
  static ways = ["I choose the start; the machine moves first", "The machine chooses the start; I move first"];
  static fits = (answers) => Boolean(withPairs(answers));

  constructor(page, answers, way) {
    const { board } = page;
    const flat = (pair) => pair.map(fromOne).map(([row, column]) => row * board.columns + column);
    Object.assign(this, { page, board, path: [], over: false, answer: withPairs(answers) });
    /** A matching of the cells that are left, as large as there is one. */
    this.mates = new Map(this.answer.fields.pairs.map(flat).flatMap(([a, b]) => [[a, b], [b, a]]));
    this.opening = "Choose an open cell for the piece. The machine then moves first.";
    if (way === 1) this.opening = this.#machine("starts at");
  }

  get signs() {
    const signs = signsOf(this.page.puzzle, this.board);
    this.path.forEach((cell, k) => {
      const here = k === this.path.length - 1;
      signs[cell] = `<circle class="${here ? "piece" : "trail"}" cx=".5" cy=".5" r=".38"/><text x=".5" y=".5" class="small${here ? " on" : ""}">${k + 1}</text>`;
    });
    for (const cell of this.#shown) signs[cell] = '<path class="way" d="M.14 .14h.72v.72h-.72z"/>';
    return signs;
  }

  get words() {
    const words = [...this.board.cells].map((symbol) => (symbol === "#" ? "wall" : "open"));
    this.path.forEach((cell, k) => (words[cell] = k === this.path.length - 1 ? "the piece is here" : `visited, ${k + 1}`));
    for (const cell of this.#shown) words[cell] = "open, you can move here";
    return words;
  }

  /** A cell to which one can move. */
  get cursor() {
    return this.#shown[0];
  }

  /** The user's choice of a cell, and the machine's reply. */
  move(cell) {
    const wrong = this.#illegal(cell);
    if (wrong) return { says: `You cannot go to ${this.#place(cell)}: ${wrong}`, wrong: true };
    const better = this.#best;
    const lost = better !== undefined && !this.#losing.has(cell);
    this.#visit(cell);
    const says = this.#machine("moves to");
    if (!lost) return { says, moved: true };
    const reply = this.#place(this.path.at(-1));
    const why = `${this.#place(cell)} loses: from there the machine follows the pair to ${reply}. ${this.#place(better)} would have won.`;
    return { says: `${why} ${says}`, moved: true, wrong: true, frames: { faulty: [this.#pair(cell)], asked: [this.#pair(better)] } };
  }

  /** The steps say why it is so. */
  hint() {
    const best = this.#best;
    const { steps } = this.answer;
    if (best === undefined) return { says: "Each choice loses if the machine goes on well.", steps };
    return { says: `Go to ${this.#place(best)}: who moves next from there loses.`, frames: { asked: [this.#pair(best)] }, steps };
  }

  /** The machine's move, and what there is to say of it. */
  #machine(moves) {
    const [way] = this.#ways;
    if (way === undefined) return this.#end(this.path.length ? "The machine cannot move: you win." : "There is no open cell.");
    const best = this.#best;
    this.#visit(best ?? way);
    const moved = `The machine ${moves} ${this.#place(this.path.at(-1))}.`;
    if (!this.#ways.length) return this.#end(`${moved} You cannot move: the machine wins.`, true);
    return `${moved} Your turn. ${best === undefined ? "If you go on well, you win." : "The machine wins from here."}`;
  }

  #end(sentence, lost = false) {
    this.over = true;
    this.lost = lost;
    return sentence;
  }

  /** Why the user may not choose a cell; empty if it is allowed. */
  #illegal(cell) {
    if (this.board.cells[cell] === "#") return "a wall is there.";
    if (this.path.includes(cell)) return "the piece has been there.";
    return this.#ways.includes(cell) ? "" : "it is not beside the piece.";
  }

  /** Where the piece may go; at first, where it may stand. */
  get #ways() {
    if (this.path.length) return this.#beside(this.path.at(-1));
    return [...this.board.cells].flatMap((symbol, cell) => (symbol === "." ? [cell] : []));
  }

  get #shown() {
    return this.path.length && !this.over ? this.#ways : [];
  }

  /** A move after which the other loses; undefined if there is none. */
  get #best() {
    const losing = this.#losing;
    return this.#ways.find((cell) => losing.has(cell));
  }

  /** The open cells beside one that are not visited. */
  #beside(cell) {
    const { rows, columns, cells } = this.board;
    const [row, column] = this.#pair(cell);
    return [[-1, 0], [0, 1], [1, 0], [0, -1]]
      .map(([down, right]) => [row + down, column + right])
      .filter((each) => isInside(each, rows, columns))
      .map(([r, c]) => r * columns + c)
      .filter((each) => cells[each] === "." && !this.path.includes(each));
  }

  /** The cells from which who moves next loses: those that some matching as large leaves in no pair. Each with the one that takes its mate. */
  get #losing() {
    const free = [...this.board.cells].flatMap((symbol, cell) => (symbol === "." && !this.path.includes(cell) && !this.mates.has(cell) ? [cell] : []));
    const losing = new Map(free.map((cell) => [cell, null]));
    for (const [cell] of losing)
      for (const near of this.#beside(cell)) {
        const mate = this.mates.get(near);
        if (!losing.has(mate)) losing.set(mate, cell);
      }
    return losing;
  }

  /** Move there. The matching stays as large as it can be: if it can leave the cell in no pair, it does. */
  #visit(cell) {
    const losing = this.#losing;
    const way = [cell];
    while (typeof losing.get(way.at(-1)) === "number") way.push(losing.get(way.at(-1)));
    const mates = way.map((each) => this.mates.get(each));
    way.slice(1).forEach((each, k) => this.mates.set(mates[k], each).set(each, mates[k]));
    if (way.length === 1) this.mates.delete(mates[0]);
    this.mates.delete(cell);
    this.path.push(cell);
  }

  #pair(cell) {
    return pairOf(cell, this.board.columns);
  }

  #place(cell) {
    return placeOf(this.#pair(cell));
  }
}
