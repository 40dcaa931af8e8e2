/** NoGo to play. See static/play.js for what a game is. */

import { stone } from "./page.js";
import { fromOne, isInside, pairOf, placeOf } from "/static/board.js";
import { signsOf } from "/static/signs.js";

/** You are black. White takes the first legal point, as both players of the puzzle do. */
export class Game {
  static rules = "You are black. Put a stone on an empty point, but take no last liberty: each chain keeps an empty point beside it. White takes its first legal point. Who cannot move loses.";

  constructor(page, answers) {
    Object.assign(this, { page, board: page.board, moves: [], over: false });
    this.answer = [...answers.values()].find(({ fields, verdict }) => fields?.moves && verdict === "PROVED");
    this.opening = this.#first("X") === undefined ? this.#end("You have no legal point: white wins.", true) : "Your turn.";
  }

  get signs() {
    const signs = signsOf(this.page.puzzle, this.board);
    this.moves.forEach((cell, k) => (signs[cell] = stone(k % 2 === 0, k + 1)));
    return signs;
  }

  get words() {
    const words = [...this.board.cells].map((symbol) => this.page.editor.names[symbol]);
    this.moves.forEach((cell, k) => (words[cell] += `, move ${k + 1}`));
    return words;
  }

  move(cell) {
    const fault = this.#fault(cell, "X");
    if (fault) return { ...fault, wrong: true };
    this.#put(cell, "X");
    const reply = this.#first("O");
    if (reply === undefined) return { says: this.#end("White has no legal point: you win."), moved: true };
    this.#put(reply, "O");
    const says = `White takes ${this.#place(reply)}.`;
    if (this.#first("X") === undefined) return { says: this.#end(`${says} You have no legal point: white wins.`, true), moved: true };
    return { says: `${says} Your turn.`, moved: true };
  }

  /** The move of the answer's game as long as this is that game; then the first legal point. */
  hint() {
    const flat = this.answer?.fields.moves.map(fromOne).map(([row, column]) => row * this.board.columns + column) ?? [];
    const same = this.moves.every((cell, k) => cell === flat[k]);
    const cell = this.#first("X");
    const whose = same && flat[this.moves.length] === cell ? `${this.answer.contender} takes` : "The first legal point is";
    const before = this.board.cells.slice(0, cell).lastIndexOf(".");
    const why = before < 0 ? "" : ` An earlier one, ${this.#place(before)}, is illegal. ${this.#fault(before, "X").says}`;
    return { says: `${whose} ${this.#place(cell)}.${why}`, frames: { asked: [pairOf(cell, this.board.columns)] } };
  }

  #end(sentence, lost = false) {
    this.over = true;
    this.lost = lost;
    return sentence;
  }

  #put(cell, colour) {
    this.board = this.board.with(cell, colour);
    this.moves.push(cell);
  }

  #first(colour) {
    const cell = [...this.board.cells].findIndex((symbol, k) => symbol === "." && !this.#fault(k, colour));
    return cell < 0 ? undefined : cell;
  }

  /** Why a stone may not be put on a point; null if it may. */
  #fault(cell, colour) {
    if (this.board.cells[cell] !== ".") return { says: `There is a stone at ${this.#place(cell)}.` };
    const board = this.board.with(cell, colour);
    const own = chain(board, cell);
    if (!own.liberties) return { says: `The stone at ${this.#place(cell)} would have no liberty: no empty point beside its chain.`, frames: this.#framed(own) };
    const other = beside(board, cell).filter((each) => board.cells[each] !== "." && board.cells[each] !== colour);
    const dead = other.map((each) => chain(board, each)).find(({ liberties }) => !liberties);
    if (!dead) return null;
    return { says: `A stone at ${this.#place(cell)} would take the last liberty of the chain at ${this.#place(dead.cells[0])}: nothing is captured here.`, frames: this.#framed(dead) };
  }

  #framed({ cells }) {
    return { faulty: cells.map((each) => pairOf(each, this.board.columns)) };
  }

  #place(cell) {
    return placeOf(pairOf(cell, this.board.columns));
  }
}

function beside(board, cell) {
  const [row, column] = pairOf(cell, board.columns);
  return [[-1, 0], [0, -1], [0, 1], [1, 0]]
    .map(([down, right]) => [row + down, column + right])
    .filter((each) => isInside(each, board.rows, board.columns))
    .map(([r, c]) => r * board.columns + c);
}

/** The stones connected with one, and how many empty points are beside them. */
function chain(board, cell) {
  const cells = new Set([cell]);
  const free = new Set();
  for (const each of cells)
    for (const near of beside(board, each)) {
      if (board.cells[near] === ".") free.add(near);
      else if (board.cells[near] === board.cells[cell]) cells.add(near);
    }
  return { cells: [...cells], liberties: free.size };
}
