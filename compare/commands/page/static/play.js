/** Play on the board that is shown. What playing is, a puzzle says in the class `Game` of its game.js; hints and reasons come of the answers that are there. */

import { button, byId, element, group, line } from "./dom.js";
import { Grid } from "./grid.js";
import { derivation } from "./picture.js";
import { frame } from "./signs.js";

/**
 * `new Game(page, answers, way)` is a game. `answers` are the lines of the answers by contender; `way` counts the ways to begin.
 * - `Game.rules`: what to do, in a sentence or two. `Game.ways`: the buttons that begin; without them there is one, "Begin".
 * - `Game.other`: what a right click does, such as "Flag", if it is another move. `Game.fits(answers)`: whether one can play with them.
 * - `opening`: what is said at first. `over`: whether the game has ended. `lost`: whether the user has lost it. `signs`, `words`: of each cell; `marks`: SVG above the cells.
 * - `cursor`: the cell to which the cursor goes, if it is to move.
 * - `move(cell, other)`, `hint()`: what is said of a move or in place of one: `{says, wrong, moved, frames, steps, why}`. `wrong`: it was
 *   no good move. `moved`: it was made. `frames`: cells [row, column], from 0, by the class of their frame. `why()`: promises more of this.
 * - `next()`: the board with which a further game goes on, once this one is over; null if there is none.
 */
export class Play {
  constructor(page) {
    this.page = page;
    this.answers = new Map();
    const isOther = (event) => event.button === 2 || event.shiftKey || this.other.getAttribute("aria-pressed") === "true";
    this.grid = new Grid("The game", {
      onpress: (cell, event) => this.#move(cell, isOther(event)),
      onkey: (cell, event) => (event.key === "Enter" || event.key === " ") && (this.#move(cell, isOther(event)), true),
    });
    this.rules = element("p", { class: "hint" });
    this.ways = group();
    this.other = button("", () => this.other.setAttribute("aria-pressed", String(this.other.getAttribute("aria-pressed") !== "true")));
    this.hint = button("Hint", () => this.#tell(this.game.hint()));
    this.back = button("Take back", () => this.#takeBack());
    this.on = button("Go on", () => this.#goOn());
    this.orders = group(this.hint, this.back, this.other, this.on, button("End the game", () => this.#end()));
    this.says = element("p", { role: "status", class: "says" });
    this.steps = element("div");
    this.figure = element("div", { class: "figure" }, this.grid.element);
    this.root = element("section", { class: "card", "aria-label": "Play" }, line(element("h3", {}, "Play"), this.ways, this.orders));
    this.root.append(this.rules, this.says, this.figure, this.steps);
    byId("play").append(this.root);
    this.root.hidden = true;
    this.#end();
  }

  /** Another board: the game is over. */
  changed() {
    this.#end();
    this.carried = null;
    for (const each of this.ways.children) each.disabled = true; // until the answers are there
    if (this.puzzle !== this.page.puzzle) this.root.hidden = true;
  }

  /** The answers to the board are there, so one can play. */
  async answered(answers) {
    const { puzzle, text } = this.page;
    const { Game } = puzzle.game ? await import(puzzle.game) : {};
    if (this.page.puzzle !== puzzle || this.page.text !== text) return;
    Object.assign(this, { answers, puzzle, Game });
    this.root.hidden = !(Game && answers.size && (Game.fits?.(answers) ?? true));
    if (this.root.hidden) return;
    this.rules.textContent = Game.rules;
    this.ways.replaceChildren(...(Game.ways ?? ["Begin"]).map((label, way) => button(label, () => this.#begin(way), { class: "main" })));
    this.other.textContent = Game.other ?? "";
    this.other.setAttribute("aria-pressed", "false");
    if (this.carried) this.#begin(0);
    this.carried = null;
  }

  /** The answers are seen again. */
  #end() {
    this.game = null;
    this.says.textContent = "";
    this.steps.replaceChildren();
    this.#show();
  }

  #begin(way) {
    const { Game, carried } = this;
    this.start = () => new Game(this.page, this.answers, way, carried);
    this.game = this.start();
    this.moves = [];
    this.#tell({ says: this.game.opening });
    this.grid.cells.focus();
  }

  #move(cell, other) {
    if (!this.game || this.game.over) return;
    const outcome = this.game.move(cell, other);
    if (outcome.moved) this.moves.push([cell, other]);
    this.#tell(outcome);
  }

  #takeBack() {
    this.moves.pop();
    this.game = this.start();
    for (const move of this.moves) this.game.move(...move);
    this.#tell({ says: "Taken back." });
  }

  /** The board as the game has left it is the new board, and the game goes on once it is answered. */
  #goOn() {
    const { game } = this;
    this.page.change(game.next());
    this.carried = game;
  }

  /** Say what came of a move, and perhaps, a moment later, why. */
  async #tell(outcome) {
    const { game, moves } = this;
    const count = moves.length;
    this.#say(outcome.says, outcome.wrong || game.lost ? "wrong" : game.over ? "done" : "");
    this.#show(outcome);
    const more = await outcome.why?.().catch(() => null);
    if (!more || this.game !== game || this.moves.length !== count) return;
    this.#say(more.says, outcome.wrong ? "wrong" : "");
    this.#show(more);
  }

  #say(sentence, kind) {
    this.says.className = `says ${kind}`;
    this.says.textContent = sentence;
  }

  #show({ frames = {}, steps = [] } = {}) {
    const { game } = this;
    byId("see").classList.toggle("playing", game !== null);
    this.orders.hidden = this.figure.hidden = game === null;
    this.ways.hidden = game !== null;
    this.rules.hidden = game === null;
    if (!game) return;
    const { rows, columns } = this.page.board;
    this.grid.show(rows, columns, game.signs, game.words);
    const framed = Object.entries(frames).flatMap(([name, cells]) => cells.map((cell) => frame(name, cell)));
    const focused = this.grid.element.contains(document.activeElement);
    if (game.cursor >= 0) this.grid.move(game.cursor);
    if (focused) this.grid.cells.focus();
    this.grid.marks.innerHTML = (game.marks ?? "") + framed.join("");
    this.steps.replaceChildren(...(steps.length ? [derivation(steps, (cells) => this.#point(cells))] : []));
    this.hint.disabled = game.over;
    this.back.disabled = !this.moves.length;
    this.other.hidden = !this.other.textContent;
    this.on.hidden = !(game.over && game.next?.());
  }

  /** Frame the cells that a step is about. */
  #point(cells) {
    this.grid.marks.querySelectorAll(".pointed").forEach((each) => each.remove());
    this.grid.marks.insertAdjacentHTML("beforeend", cells.map((cell) => frame("pointed", cell)).join(""));
  }
}
