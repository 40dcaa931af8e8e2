/** The page: which board is shown, and who is told when it changes. */

import { Answers } from "./answers.js";
import { Board, History, pairOf } from "./board.js";
import { button, byId, element } from "./dom.js";
import { Editor } from "./editor.js";
import { Explain } from "./explain.js";
import * as link from "./link.js";
import { signsIn } from "./picture.js";
import { Play } from "./play.js";
import { Search } from "./search.js";
import { connection, get, isGone, live, post, silent } from "./server.js";
import { Solvers } from "./solvers.js";
import { Sources } from "./sources.js";

/** Milliseconds without a change after which the board is sent. */
const QUIET = 30;

/** Characters of a link up to which it is printed. */
const LONGEST_PRINTED = 1500;

/**
 * The puzzle with what its script adds to the page, which may be nothing. `signs`: how its symbols are drawn. `first`: [family, size, seed]
 * of the board that one sees first, small and with something to see; without it that is a bundled one. `Extra`: what stands below the answers.
 */
async function withScript(puzzle) {
  try {
    return { ...puzzle, script: puzzle.script ? await import(puzzle.script) : { signs: signsIn(puzzle.symbols) } };
  } catch (error) {
    return { ...puzzle, fault: `The script page.js of ${puzzle.name} cannot be loaded: ${error.message}` };
  }
}

/** A text as the page can show it without the server, which may refuse it: then its error is marked. Null if it cannot. */
const drawable = (text, puzzle) => (text === undefined ? null : puzzle.grid ? Board.read(text, puzzle) : { text });

class Page {
  constructor() {
    this.histories = new Map();
    this.last = new Map();
    this.command = "python -m compare page";
    this.answers = new Answers(this);
    this.solvers = new Solvers(this);
    this.explain = new Explain(this);
    this.play = new Play(this);
    this.sources = new Sources(this);
    this.search = new Search(this);
    this.editor = new Editor(this);
    byId("undo").addEventListener("click", () => this.step(false));
    byId("redo").addEventListener("click", () => this.step(true));
    byId("clear").addEventListener("click", () => this.clear());
    byId("case").addEventListener("input", (event) => this.#typed(event.target.value));
    document.addEventListener("keydown", (event) => this.#key(event));
    window.addEventListener("hashchange", () => this.follow());
    window.addEventListener("beforeprint", () => this.#print());
    connection.addEventListener("gone", () =>
      this.say(`The server is gone. This page goes on by itself once you start it again: ${this.command}`, "gone"),
    );
    connection.addEventListener("back", () => this.#goOn());
    connection.addEventListener("turn", ({ detail }) => (byId("turn").textContent = detail));
  }

  /** Fetch the puzzles, then show the board of the address. */
  async start() {
    if (await this.#list()) await this.follow();
  }

  /** Fetch the puzzles and list them; whether that went well. */
  async #list() {
    try {
      const { puzzles, unusable, version, command, preparing, fault } = await get("/api/puzzles");
      const loaded = await Promise.all(puzzles.map(withScript));
      const broken = loaded.filter(({ fault }) => fault);
      Object.assign(this, { puzzles: loaded.filter(({ fault }) => !fault), unusable: [...unusable, ...broken], command, fault });
      this.answers.prepare(preparing);
      byId("about").textContent = `Twofold ${version}. ${live ? "Nothing leaves this computer." : "All answers were computed before."}`;
    } catch (error) {
      if (!silent(error)) this.say(error.message);
      return false;
    }
    const entry = (name, title, onclick) => element("li", {}, button(name, onclick, { title }));
    byId("puzzles").replaceChildren(
      ...this.puzzles.map((puzzle) => entry(puzzle.name, puzzle.title, () => this.choose(puzzle))),
      ...this.unusable.map(({ name, fault }) => entry(name, "This puzzle cannot be shown: click to read why.", () => this.say(fault))),
    );
    this.#mark();
    return true;
  }

  /** The server is back. It may be another one, with other puzzles: list them anew, then fetch what was wanted last. */
  async #goOn() {
    const { command, puzzles: before = [], wanted } = this;
    if (!(await this.#list())) return;
    this.hush();
    if (!this.puzzle && !wanted) return this.follow();
    const current = (old) => this.puzzles.find(({ name }) => name === old?.name);
    const lost = before.filter((old) => !current(old)).map(({ name }) => name);
    if (current(wanted?.puzzle)) await this.#fetch({ ...wanted, puzzle: current(wanted.puzzle) }).catch((error) => this.say(error.message));
    else if (!current(this.puzzle)) await this.choose(this.puzzles[0]);
    else {
      const chosen = this.solvers.contenders;
      const puzzle = current(this.puzzle);
      const shown = drawable(this.text, puzzle);
      if (shown) this.#open(puzzle, shown, this.given);
      else await this.choose(puzzle);
      lost.push(...chosen.filter((name) => !this.solvers.contenders.includes(name)));
    }
    if (this.fault) this.say(`What was saved cannot be loaded. ${this.fault}`);
    else if (lost.length) this.say(`The server now runs without ${lost.join(", ")}. To have it again, start the page so: ${command}`);
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
    const answer = linked?.answer ?? null;
    if (puzzle && this.puzzle === puzzle && linked.text === this.text && this.given?.text === answer?.text) return;
    if (!puzzle || !linked.text) await this.choose(puzzle ?? this.puzzles[0]);
    else
      try {
        await this.#fetch({ puzzle, path: "/api/read", body: { text: linked.text }, answer });
      } catch (error) {
        const shown = drawable(linked.text, puzzle);
        if (shown) this.#open(puzzle, shown, answer);
        else {
          await this.choose(puzzle);
          byId("as-text").open = true;
          byId("text").value = linked.text;
          if (error.place) this.sources.select(...error.place);
          broken = `The board of this link cannot be read: ${error.message}`;
        }
      }
    const faults = this.unusable.map(({ fault }) => fault);
    if (broken || faults.length) this.say([broken, ...faults].filter(Boolean).join(" "));
  }

  /** Show a puzzle: the board that it had last, or its first one. */
  async choose(puzzle) {
    const { name } = puzzle;
    const text = this.last.get(name);
    const [family, size, seed] = (live && puzzle.script.first) || [];
    try {
      if (text === undefined && family) await this.#fetch({ puzzle, path: "/api/random", body: { family, size, seed } });
      else if (drawable(text, puzzle)) this.#open(puzzle, drawable(text, puzzle));
      else await this.#fetch({ puzzle, path: "/api/read", body: { text: text ?? puzzle.samples[0]?.text ?? puzzle.example } });
    } catch (error) {
      this.say(error.message);
    }
  }

  /**
   * Show a board that the server reads or makes. Until it comes, the page stays as it is. While the server is gone, the board stays
   * `wanted`. Throws an error with a sentence if the server refuses.
   */
  async #fetch(wanted) {
    const { puzzle, path, body, answer } = wanted;
    this.wanted = wanted;
    try {
      const read = await post(path, { puzzle: puzzle.name, ...body });
      if (this.wanted === wanted) this.#open(puzzle, read.boards?.[0] ?? read, answer);
    } catch (error) {
      if (silent(error) || this.wanted !== wanted) return;
      this.wanted = null;
      throw error;
    }
  }

  /** Show a board of a puzzle, which may be another one than before, perhaps with an answer that a link holds. */
  #open(puzzle, read, answer = null) {
    if (this.puzzle) link.enter(puzzle.name);
    this.#dress(puzzle);
    this.open(read, answer);
  }

  #mark() {
    for (const button of byId("puzzles").querySelectorAll("button"))
      if (button.textContent === this.puzzle?.name) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
  }

  #dress(puzzle) {
    this.hush();
    if (this.puzzle === puzzle) return;
    this.puzzle = puzzle;
    this.board = null;
    this.text = "";
    document.title = `${puzzle.title}: Twofold`;
    byId("printed").textContent = `: ${puzzle.title}`;
    this.#mark();
    if (!this.histories.has(puzzle.name)) this.histories.set(puzzle.name, new History());
    byId("draw-title").textContent = puzzle.grid ? "Board" : "Case";
    byId("grid-part").hidden = !puzzle.grid;
    byId("text-part").hidden = puzzle.grid;
    byId("case").readOnly = byId("text").readOnly = !live;
    byId("as-text").hidden = false;
    this.answers.clear();
    this.solvers.choose(puzzle);
    this.sources.choose(puzzle);
    this.search.choose(puzzle);
    this.explain.choose(puzzle);
    this.extra?.close();
    byId("extra").replaceChildren();
    const { Extra } = puzzle.script;
    this.extra = Extra ? new Extra(this, byId("extra")) : null;
    byId("said").classList.toggle("kept", Boolean(this.extra?.point));
    if (puzzle.grid) this.editor.choose(puzzle);
  }

  /** Show what the server has read. */
  open(read, answer = null) {
    if (this.board !== null) this.record();
    this.#show(this.#state(read), answer);
  }

  /** Show a board to which a search has come. Nobody is asked about it before `ask`; this sentence stands in the place of the verdict. */
  preview(read, sentence) {
    clearTimeout(this.timer);
    this.#draw(this.#state(read));
    this.answers.hold(sentence);
  }

  #state(read) {
    return this.puzzle.grid ? Board.of(read) : read.text;
  }

  /** Show what a link holds that somebody has pasted. */
  follows(fragment) {
    if (fragment === location.hash) return;
    location.hash = fragment; // `follow` hears of it
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
    if (this.board === null) return;
    const state = this.#history.step(this.board, forward);
    if (state !== null) this.#show(state);
  }

  clear() {
    if (this.board === null) return;
    if (!this.puzzle.grid) return this.change("");
    const { rows, columns } = this.board;
    return this.change(Board.empty(rows, columns, this.puzzle.symbols[0].symbol));
  }

  /** The pointer or the cursor is on a cell of the board; null if it has left it. */
  point(cell) {
    this.extra?.point?.(cell === null ? null : pairOf(cell, this.board.columns));
  }

  get #history() {
    return this.histories.get(this.puzzle.name);
  }

  #typed(text) {
    this.board = text;
    this.#tell(text);
    this.#solve();
  }

  #show(board, answer = null) {
    this.#draw(board, answer);
    this.#solve();
  }

  #draw(board, answer = null) {
    this.board = board;
    if (this.puzzle.grid) this.editor.show(board);
    else if (byId("case").value !== board) byId("case").value = board;
    this.#tell(this.puzzle.grid ? board.text(this.puzzle) : board, answer);
  }

  /** The board has this text now. The answer of a link is about one board: on any other it is gone. */
  #tell(text, answer = null) {
    this.hush();
    this.wanted = null;
    this.text = text;
    this.given = answer;
    this.last.set(this.puzzle.name, text);
    if (document.activeElement !== byId("text")) byId("text").value = text;
    link.write(this.puzzle.name, text, answer);
    byId("undo").disabled = !this.#history.before.length;
    byId("redo").disabled = !this.#history.after.length;
    this.sources.changed(text);
    this.explain.changed();
    this.extra?.changed?.();
    this.play.changed();
  }

  /** Somebody has changed the board: ask for answers once it stays the same for a moment. */
  #solve() {
    this.search.changed();
    this.answers.wait();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(), QUIET);
  }

  ask() {
    clearTimeout(this.timer);
    this.answers.ask();
  }

  /** All contenders have answered the newest board. */
  answered(answers, comparison) {
    this.explain.answered(comparison);
    this.play.answered(answers);
    this.extra?.answered?.(answers);
  }

  /** There is no answer, perhaps because of this cell ([row, column], from 0): nothing that was said of a board before stays. */
  refused(cell) {
    this.explain.refused();
    this.play.answered(new Map());
    this.extra?.answered?.(new Map());
    if (cell && this.puzzle.grid) this.editor.refuse(cell);
  }

  /** Paper has the link, if it is one that somebody types or scans. */
  #print() {
    const { href } = location;
    const large = `This board's link is too long to print: it has ${href.length.toLocaleString("en")} characters.`;
    byId("printed-link").textContent = href.length <= LONGEST_PRINTED ? href : large;
  }

  #key(event) {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.target.matches("textarea, input:not([type=radio], [type=checkbox])"))
      return;
    const key = event.key.toLowerCase();
    if (key !== "z" && key !== "y") return;
    event.preventDefault();
    this.step(key === "y" || event.shiftKey);
  }

  /** A sentence at the top of the window, until the board changes. */
  say(sentence, kind = "error") {
    const place = byId("notice");
    place.textContent = sentence;
    place.className = kind;
    place.hidden = false;
  }

  hush() {
    if (!isGone()) byId("notice").hidden = true;
  }
}

new Page().start();
