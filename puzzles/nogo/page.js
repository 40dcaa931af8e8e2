/** NoGo: the game played back move by move. */

import { fromOne } from "/static/board.js";
import { button, element, group, line } from "/static/dom.js";
import { Grid } from "/static/grid.js";
import { signsOf } from "/static/signs.js";

export const first = ["random", 7, 1];

/** A stone, which is black or white on any page; its ring sets it off from the paper. */
export const stone = (black, number = "") =>
  `<circle cx=".5" cy=".5" r=".42" fill="${black ? "#24292f" : "#fff"}" stroke="var(--ink)" stroke-width=".06"/>` +
  (number === "" ? "" : `<text x=".5" y=".5" class="small" fill="${black ? "#fff" : "#24292f"}">${number}</text>`);

export const signs = { X: stone(true), O: stone(false) };

/** Milliseconds from one move to the next. */
const PACE = 500;

export class Extra {
  constructor(page, root) {
    this.page = page;
    this.moves = [];
    this.grid = new Grid("The game");
    this.slider = element("input", { type: "range", min: "0", value: "0", "aria-label": "move", oninput: () => this.#go(Number(this.slider.value)) });
    this.play = button("Play", () => (this.timer ? this.#pause() : this.#start()));
    this.says = element("p", { role: "status" });
    const step = (label, by) => button(label, () => this.#go(this.at + by));
    this.root = element(
      "section",
      { class: "card", "aria-label": "The game, move by move" },
      element("h3", {}, "The game, move by move"),
      line(group(step("Previous", -1), this.play, step("Next", 1)), this.slider),
      this.says,
      element("div", { class: "figure" }, this.grid.element),
    );
    this.root.hidden = true;
    root.replaceChildren(this.root);
  }

  close() {
    clearInterval(this.timer);
  }

  changed() {
    this.#pause();
    this.root.hidden = true;
  }

  answered(answers) {
    const answer = [...answers.values()].find(({ fields, verdict }) => fields?.moves && verdict !== "REFUTED");
    this.root.hidden = !answer;
    if (!answer) return;
    this.moves = answer.fields.moves;
    this.slider.max = this.moves.length;
    this.#show(this.moves.length);
  }

  #start() {
    if (this.at === this.moves.length) this.#show(0);
    this.play.textContent = "Pause";
    this.timer = setInterval(() => (this.at < this.moves.length ? this.#show(this.at + 1) : this.#pause()), PACE);
  }

  #pause() {
    clearInterval(this.timer);
    this.timer = null;
    this.play.textContent = "Play";
  }

  #go(at) {
    this.#pause();
    this.#show(Math.min(Math.max(at, 0), this.moves.length));
  }

  /** The position after `at` moves; the last one is framed. */
  #show(at) {
    this.at = at;
    this.slider.value = at;
    const { board, editor, puzzle } = this.page;
    const signs = signsOf(puzzle, board);
    const words = [...board.cells].map((symbol) => editor.names[symbol]);
    this.moves.slice(0, at).map(fromOne).forEach(([row, column], k) => {
      const cell = row * board.columns + column;
      const last = k === at - 1 ? '<path class="last" d="M.04 .04h.92v.92h-.92z"/>' : "";
      signs[cell] = stone(k % 2 === 0, k + 1) + last;
      words[cell] = `${k % 2 ? "white" : "black"}, move ${k + 1}`;
    });
    this.grid.show(board.rows, board.columns, signs, words);
    this.slider.setAttribute("aria-valuetext", `move ${at} of ${this.moves.length}`);
    this.says.textContent = sentence(this.moves, at);
  }
}

function sentence(moves, at) {
  const end = at === moves.length ? ` ${at % 2 ? "White" : "Black"} has no legal move and loses.` : "";
  if (at === 0) return `The start position.${end}`;
  const [row, column] = moves[at - 1];
  return `Move ${at} of ${moves.length}: ${at % 2 ? "black" : "white"} at ${row},${column}.${end}`;
}
