/** The page: which board is shown, and who is told when it changes. */

import { Answers } from "./answers.js";
import { Board, History } from "./board.js";
import { byId, element } from "./dom.js";
import { Editor } from "./editor.js";
import { Explain } from "./explain.js";
import * as link from "./link.js";
import { connection, get, post, silent } from "./server.js";
import { Solvers } from "./solvers.js";
import { Sources } from "./sources.js";
import { Geography } from "./puzzles/geography.js";
import { Minesweeper } from "./puzzles/minesweeper.js";
import { NoGo } from "./puzzles/nogo.js";

/** Milliseconds without a change after which the board is sent. */
const QUIET = 30;

const EXTRAS = { geography: Geography, minesweeper: Minesweeper, nogo: NoGo };

/** [family, size, seed] of the board that one sees first: small, and with something to see. Other puzzles begin with a bundled one. */
const FIRST = {
  beams: ["mirror", 8, 1],
  geography: ["walls-20", 7, 1],
  minesweeper: ["d12", 8, 1],
  nogo: ["random", 7, 1],
};

class Page {
  constructor() {
    this.histories = new Map();
    this.last = new Map();
    const headline = (answer) => EXTRAS[this.puzzle.name]?.headline?.(answer) ?? "";
    this.answers = new Answers((answers, comparison) => this.#answered(answers, comparison), headline);
    this.solvers = new Solvers(() => this.#ask());
    this.explain = new Explain(this);
    this.sources = new Sources(this);
    const places = ["board", "palette", "sizes", "said"].map((name) => [name, byId(name)]);
    this.editor = new Editor(this, Object.fromEntries(places));
    byId("undo").addEventListener("click", () => this.step(false));
    byId("redo").addEventListener("click", () => this.step(true));
    byId("clear").addEventListener("click", () => this.clear());
    byId("case").addEventListener("input", (event) => this.#typed(event.target.value));
    document.addEventListener("keydown", (event) => this.#key(event));
    window.addEventListener("hashchange", () => this.follow());
    connection.addEventListener("gone", () =>
      this.say("The server is gone. Start it again with python -m compare page: this page then goes on by itself.", "gone"),
    );
    connection.addEventListener("back", () => {
      this.hush();
      if (this.puzzle) this.#ask();
      else this.start();
    });
  }

  /** Fetch the puzzles, then show the board of the address. */
  async start() {
    try {
      const { puzzles, version } = await get("/api/puzzles");
      this.puzzles = puzzles;
      byId("about").textContent = `Twofold ${version}. Nothing leaves this computer.`;
    } catch (error) {
      if (!silent(error)) this.say(error.message);
      return;
    }
    byId("puzzles").replaceChildren(
      ...this.puzzles.map((puzzle) =>
        element("li", {}, element("button", { type: "button", title: puzzle.title, onclick: () => this.choose(puzzle) }, puzzle.name)),
      ),
    );
    await this.follow();
  }

  /** Show the board of the address. */
  async follow() {
    let linked = null;
    let broken = "";
    try {
      linked = link.read();
    } catch (error) {
      broken = error.message;
    }
    const puzzle = this.puzzles.find(({ name }) => name === linked?.puzzle);
    if (linked && !puzzle)
      broken = `This link is of the puzzle ${linked.puzzle}, which is not here. For one of your own, start the page with --puzzle FILE.`;
    if (puzzle && this.puzzle === puzzle && linked.text === this.text) return;
    if (!puzzle || !linked.text) await this.choose(puzzle ?? this.puzzles[0]);
    else {
      this.#dress(puzzle);
      try {
        const { boards } = await post("/api/read", { puzzle: puzzle.name, text: linked.text });
        this.open(boards[0]);
      } catch (error) {
        if (silent(error)) return;
        await this.choose(puzzle);
        byId("as-text").open = true;
        byId("text").value = linked.text;
        broken = `The board of this link cannot be read: ${error.message}`;
      }
    }
    if (broken) this.say(broken);
  }

  /** Show a puzzle: the board that it had last, or its first one. */
  async choose(puzzle) {
    this.#dress(puzzle);
    const text = this.last.get(puzzle.name);
    if (text === undefined && FIRST[puzzle.name]) await this.sources.random(...FIRST[puzzle.name]);
    else await this.sources.read(text ?? puzzle.samples[0]?.text ?? puzzle.example);
  }

  #dress(puzzle) {
    this.hush();
    if (this.puzzle === puzzle) return;
    this.puzzle = puzzle;
    this.board = null;
    this.text = "";
    document.title = `${puzzle.title}: Twofold`;
    for (const button of byId("puzzles").querySelectorAll("button"))
      if (button.textContent === puzzle.name) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    if (!this.histories.has(puzzle.name)) this.histories.set(puzzle.name, new History());
    byId("draw-title").textContent = puzzle.grid ? "Board" : "Case";
    byId("grid-part").hidden = !puzzle.grid;
    byId("text-part").hidden = puzzle.grid;
    byId("as-text").hidden = false;
    this.answers.clear();
    this.solvers.choose(puzzle);
    this.sources.choose(puzzle);
    this.explain.choose(puzzle);
    this.extra?.close();
    byId("extra").replaceChildren();
    this.extra = EXTRAS[puzzle.name] ? new EXTRAS[puzzle.name](this, byId("extra")) : null;
    if (puzzle.grid) this.editor.choose(puzzle);
  }

  /** Show what the server has read. */
  open(read) {
    const state = this.puzzle.grid ? Board.of(read) : read.text;
    if (this.board !== null) this.record();
    this.#show(state);
  }

  /** Keep the board for undo. */
  record() {
    if (this.board !== null) this.#history.add(this.board);
  }

  /** Put another board in place of the one that is shown. */
  change(board, { record = true } = {}) {
    if (record) this.record();
    this.#show(board);
  }

  step(forward) {
    const state = this.#history.step(this.board, forward);
    if (state !== null) this.#show(state);
  }

  clear() {
    if (!this.puzzle.grid) return this.change("");
    const { rows, columns } = this.board;
    return this.change(Board.empty(rows, columns, this.puzzle.symbols[0].symbol));
  }

  /** The pointer or the cursor is on a cell of the board; null if it has left it. */
  point(cell) {
    this.extra?.point?.(cell === null ? null : [Math.floor(cell / this.board.columns), cell % this.board.columns]);
  }

  get #history() {
    return this.histories.get(this.puzzle.name);
  }

  #typed(text) {
    this.board = text;
    this.#tell(text);
  }

  #show(board) {
    this.board = board;
    if (this.puzzle.grid) this.editor.show(board);
    else byId("case").value = board;
    this.#tell(this.puzzle.grid ? board.text(this.puzzle) : board);
  }

  #tell(text) {
    this.hush();
    this.text = text;
    this.last.set(this.puzzle.name, text);
    if (document.activeElement !== byId("text")) byId("text").value = text;
    link.write(this.puzzle.name, text);
    byId("undo").disabled = !this.#history.before.length;
    byId("redo").disabled = !this.#history.after.length;
    this.sources.changed(text);
    this.extra?.changed?.();
    this.answers.wait();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#ask(), QUIET);
  }

  #ask() {
    this.answers.ask(this.puzzle, this.text, this.solvers.contenders);
  }

  #answered(answers, comparison) {
    this.explain.answered(comparison);
    this.extra?.answered?.(answers);
  }

  #key(event) {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.target.matches("textarea, input:not([type=radio], [type=checkbox])"))
      return;
    const key = event.key.toLowerCase();
    if (key !== "z" && key !== "y") return;
    event.preventDefault();
    this.step(key === "y" || event.shiftKey);
  }

  /** A sentence above the board, until the board changes. */
  say(sentence, kind = "error") {
    const place = byId("notice");
    place.textContent = sentence;
    place.className = kind;
    place.hidden = false;
  }

  hush() {
    byId("notice").hidden = true;
  }
}

new Page().start();
