/** Geography against the machine. It asks the server after each move, so it wins from where one can win. */

import { fromOne, isInside, pairOf, placeOf } from "/static/board.js";
import { button, element, group } from "/static/dom.js";
import { Grid } from "/static/grid.js";
import { signsOf, wall } from "/static/signs.js";
import { asker, lines, silent } from "/static/server.js";

export const first = ["walls-20", 7, 1];

export const signs = { "#": wall };

/** Milliseconds that the machine seems to think, so that one sees its move. */
const PAUSE = 350;

export class Extra {
  constructor(page, root) {
    this.page = page;
    this.grid = new Grid("The game", {
      onpress: (cell) => this.#choose(cell),
      onkey: (cell, { key }) => (key === "Enter" || key === " ") && (this.#choose(cell), true),
    });
    this.says = element("p", { role: "status", class: "says" });
    this.root = element(
      "section",
      { class: "card", "aria-label": "Play against the machine" },
      element("h3", {}, "Play against the machine"),
      element("p", { class: "hint" }, "Take turns to move the piece to an open cell beside it that it has not visited. Who cannot move loses."),
      group(
        button("I choose the start; the machine moves first", () => this.#begin(false)),
        button("The machine chooses the start; I move first", () => this.#begin(true)),
      ),
      this.says,
      element("div", { class: "figure" }, this.grid.element),
    );
    root.replaceChildren(this.root);
  }

  close() {
    this.path = null;
  }

  /** Another board: the game is over. */
  changed() {
    this.path = null;
    this.turn = "none";
    this.says.textContent = "";
    this.grid.element.hidden = true;
  }

  async #begin(machine) {
    const path = (this.path = []);
    this.grid.element.hidden = false;
    if (!machine) {
      this.turn = "place";
      return this.#show("Choose an open cell for the piece. The machine then moves first.");
    }
    this.turn = "machine";
    this.#show("The machine thinks ...");
    const losing = await this.#losing(path);
    if (this.path !== path || losing === null) return;
    const open = [...this.page.board.cells].flatMap((symbol, cell) => (symbol === "." ? [cell] : []));
    const cell = [...losing][0] ?? open[0];
    if (cell === undefined) return this.#show("There is no open cell.");
    this.#visit(cell);
    this.#yours(`The machine starts at ${this.#place(cell)}.`, losing.size ? "The machine will win." : "You can win.");
  }

  /** The user's choice of a cell. */
  async #choose(cell) {
    if (this.turn !== "place" && this.turn !== "user") return;
    const wrong = this.#illegal(cell);
    if (wrong) {
      this.says.textContent = `You cannot go to ${this.#place(cell)}: ${wrong}`;
      return;
    }
    this.#visit(cell);
    this.turn = "machine";
    this.#show("The machine thinks ...");
    const { path } = this;
    const ways = this.#ways();
    if (!ways.length) return this.#end("The machine cannot move: you win.");
    const [losing] = await Promise.all([this.#losing(path), new Promise((done) => setTimeout(done, PAUSE))]);
    if (this.path !== path || losing === null) return;
    const good = ways.find((way) => losing.has(way));
    const next = good ?? ways[0];
    this.#visit(next);
    this.#yours(
      `The machine moves to ${this.#place(next)}.`,
      good === undefined ? "If you go on well, you win." : "The machine wins from here.",
    );
  }

  #yours(machine, remark) {
    this.turn = "user";
    if (this.#ways().length) this.#show(`${machine} Your turn. ${remark}`);
    else this.#end(`${machine} You cannot move: the machine wins.`);
  }

  #place(cell) {
    return placeOf(pairOf(cell, this.page.board.columns));
  }

  /** Why the user may not choose a cell; empty if it is allowed. */
  #illegal(cell) {
    if (this.page.board.cells[cell] !== ".") return "a wall is there.";
    if (this.path.includes(cell)) return "the piece has been there.";
    return this.turn === "user" && !this.#ways().includes(cell) ? "it is not beside the piece." : "";
  }

  #end(sentence) {
    this.turn = "none";
    this.#show(sentence);
  }

  #visit(cell) {
    this.path.push(cell);
  }

  #isOpen(cell) {
    return this.page.board.cells[cell] === "." && !this.path.includes(cell);
  }

  /** Where the piece may go. */
  #ways() {
    const { rows, columns } = this.page.board;
    const [row, column] = pairOf(this.path.at(-1), columns);
    return [[-1, 0], [0, 1], [1, 0], [0, -1]]
      .map(([down, right]) => [row + down, column + right])
      .filter((cell) => isInside(cell, rows, columns))
      .map(([r, c]) => r * columns + c)
      .filter((cell) => this.#isOpen(cell));
  }

  /** The cells from which the next to move loses, once the visited ones are walls; null if the server does not say. */
  async #losing(path) {
    const { puzzle, board } = this.page;
    const left = path.reduce((rest, cell) => rest.with(cell, "#"), board);
    const contenders = [puzzle.backends.find(({ default: first }) => first).contender];
    const body = { puzzle: puzzle.name, text: left.text(puzzle), contenders, ...asker("-game") };
    try {
      for await (const line of lines("/api/solve", body))
        if (line.type === "answer") {
          if (line.status !== "OK") throw new Error(`The machine gives up: ${line.detail || line.status}.`);
          return new Set(line.fields.losing.map(fromOne).map(([row, column]) => row * board.columns + column));
        }
    } catch (error) {
      if (!silent(error) && this.path === path) this.#end(error.message);
    }
    return null;
  }

  #show(sentence) {
    const { board, puzzle } = this.page;
    const ways = this.turn === "user" ? this.#ways() : [];
    const signs = signsOf(puzzle, board);
    const words = [...board.cells].map((symbol) => (symbol === "#" ? "wall" : "open"));
    this.path.forEach((cell, k) => {
      const here = k === this.path.length - 1;
      signs[cell] = `<circle class="${here ? "piece" : "trail"}" cx=".5" cy=".5" r=".38"/><text x=".5" y=".5" class="small${here ? " on" : ""}">${k + 1}</text>`;
      words[cell] = here ? "the piece is here" : `visited, ${k + 1}`;
    });
    for (const cell of ways) {
      signs[cell] = '<path class="way" d="M.14 .14h.72v.72h-.72z"/>';
      words[cell] = "open, you can move here";
    }
    this.grid.show(board.rows, board.columns, signs, words);
    this.says.textContent = sentence;
    if (ways.length) this.grid.move(ways[0]);
  }
}
