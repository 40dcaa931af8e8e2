/** Minesweeper beyond the answer: how likely each cell is a mine, what to open next, and why a cell is certain. */

import { fromOne, placeOf } from "/static/board.js";
import { counted, element, line, shape } from "/static/dom.js";
import { cellAt, cellOf, derivation, layer, legendItems, picture, point, read, reread } from "/static/picture.js";
import { asker, post, silent } from "/static/server.js";
import { label, line as stroke } from "/static/signs.js";

export const first = ["d12", 8, 1];

const given = '<path d="M.06 .06h.88v.88h-.88z" fill="none" stroke="var(--soft)" stroke-width=".07" stroke-dasharray=".14 .1"/>';
const covered = '<path d="M.06 .06h.88v.88h-.88z" fill="var(--wall)" fill-opacity=".3" stroke="var(--wall)" stroke-width=".05"/>';

export const signs = {
  "#": covered,
  X: `${covered}<circle cx=".5" cy=".5" r=".25" fill="var(--bad)"/>${stroke("M.12 .5H.88M.5 .12V.88M.23 .23L.77 .77M.23 .77L.77 .23", 0.09, "bad")}${given}`,
  O: `${covered}<circle cx=".5" cy=".5" r=".24" fill="none" stroke="var(--good)" stroke-width=".11"/>${given}`,
  1: label("1", "cool"),
  2: label("2", "good"),
  3: label("3", "bad"),
};

/** Milliseconds that the pointer rests on a cell before the page asks why. */
const REST = 120;

const VIEWS = [
  ["probabilities", "Probabilities"],
  ["next", "What to open next"],
];

export class Extra {
  constructor(page, root) {
    this.page = page;
    this.view = "probabilities";
    this.views = new Map();
    this.says = element("p", { role: "status", class: "says" });
    this.figure = element("div", { class: "figure" });
    this.legend = element("ul", { class: "legend" });
    this.steps = element("div");
    const choices = VIEWS.map(([name, label]) => {
      const input = element("input", { type: "radio", name: "view", value: name, checked: name === this.view });
      input.addEventListener("click", () => {
        this.pinned = false;
        this.cell = null;
        this.#choose(name);
      });
      return element("label", { class: "box" }, input, label);
    });
    const follow = (event) => {
      const svg = this.figure.querySelector("svg");
      this.point(svg && cellAt(svg, event));
    };
    this.figure.addEventListener("pointermove", follow);
    this.figure.addEventListener("pointerdown", (event) => {
      const cell = cellAt(this.figure.querySelector("svg"), event);
      const same = this.pinned && String(cell) === String(this.cell);
      this.pinned = false;
      this.point(cell);
      this.pinned = cell !== null && !same;
    });
    this.figure.addEventListener("pointerleave", ({ pointerType }) => pointerType === "mouse" && this.point(null));
    root.replaceChildren(
      element(
        "section",
        { class: "card", "aria-label": "Mines" },
        line(element("h3", {}, "How likely is a mine?"), element("div", { class: "boxes" }, ...choices)),
        this.figure,
        this.legend,
        this.says,
        this.steps,
        element("p", { class: "hint" }, "Point at a cell, here or on your board, or move the cursor there: the page says why it is certain, or how likely it is a mine. Press a cell of this map to keep what is said of it."),
      ),
    );
  }

  close() {
    clearTimeout(this.timer);
  }

  changed() {
    this.figure.parentElement.classList.add("old");
    this.views.clear();
    this.board = null;
    this.pinned = false;
    clearTimeout(this.timer);
  }

  /** The answers are there: draw the chosen view. */
  answered(answers) {
    const complete = [...answers.values()].find(({ fields }) => fields?.board);
    this.board = complete?.fields.board ?? null;
    const said = [...answers.values()].filter(({ status }) => status === "OK");
    const likely = said.filter(({ fields }) => fields?.probability);
    const some = likely.length > 0 && likely.length < said.length;
    this.page.answers.note(some ? `The percentages are those of ${likely.map(({ contender }) => contender).join(" and ")}: the others only say what is certain.` : "");
    this.figure.closest("section").hidden = !this.board;
    if (!this.board) return;
    if (this.cell) this.#why(this.cell);
    else this.#choose(this.view);
  }

  /** Say why the cell [row, column] is certain, or how likely it is a mine; null: show the chosen view again. */
  point(cell) {
    if (this.pinned || String(cell) === String(this.cell) || !this.board) return;
    this.cell = cell;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => (cell ? this.#why(cell) : this.#choose(this.view)), cell ? REST : 2 * REST);
  }

  async #choose(name) {
    this.view = name;
    this.page.editor.explain("");
    const answer = await this.#ask(name, "");
    if (!answer || this.view !== name || this.cell) return;
    const { layouts } = answer.fields;
    this.#draw(answer, name === "next" ? shortened(answer.text) : layouts ? `${grouped(layouts)} ${layouts === "1" ? "layout fits" : "layouts fit"} the clues.` : "");
  }

  async #why([row, column]) {
    const { board, editor } = this.page;
    if (board.cells[row * board.columns + column] !== "#") {
      this.#choose(this.view);
      return;
    }
    const certain = this.board[row][column] !== "#";
    const answer = await (certain ? this.#ask("why", placeOf([row, column])) : this.#ask("probabilities", ""));
    if (!answer || String(this.cell) !== String([row, column])) return;
    const chance = answer.fields.probability?.[row]?.[column];
    const sentence = certain
      ? answer.text.split("\n")[0]
      : chance && `The cell at ${placeOf([row, column])} is a mine with probability ${percent(chance)} (${chance}).`;
    this.#draw(answer, sentence ?? "");
    const clues = (answer.fields.why?.clues ?? []).map(fromOne);
    editor.explain(sentence ?? "", { clue: clues, asked: [[row, column]] });
  }

  /** What the server says to a request; each is asked once a board. */
  async #ask(request, value) {
    const key = `${request} ${value}`;
    const { text } = this.page;
    if (this.views.has(key)) return this.views.get(key);
    try {
      const answer = await ask(this.page, request, value, "-ask");
      if (this.page.text !== text) return null;
      this.views.set(key, answer);
      return answer;
    } catch (error) {
      if (!silent(error) && this.page.text === text) this.says.textContent = error.message;
      return null;
    }
  }

  #draw(answer, sentence) {
    this.figure.parentElement.classList.remove("old");
    this.says.textContent = sentence;
    const { next, why } = answer.fields;
    const show = (cells) => {
      point(this.figure.querySelector("svg"), cells);
      this.page.editor.point(cells);
    };
    this.steps.replaceChildren(...(why?.steps.length ? [derivation(why.steps, show)] : []));
    if (!answer.svg) return; // too large; or stored, where each view has one picture
    const drawn = picture(answer.svg);
    const focused = this.figure.contains(document.activeElement);
    read(drawn.svg, answer.cells, (cell) => this.point(cell), focused);
    if (next) reread(drawn.svg, next.cells.map(fromOne), "open it next");
    if (why) reread(drawn.svg, why.clues.map(fromOne), "forces the cell in question");
    if (drawn.headline && !sentence) this.says.textContent = drawn.headline;
    const { rows, columns } = this.page.board;
    if (rows * columns > MAX_LABELS && answer.fields.probability) dots(drawn.svg, answer.fields.probability);
    this.figure.replaceChildren(drawn.svg);
    if (focused && this.cell) cellOf(drawn.svg, this.cell)?.focus();
    this.legend.replaceChildren(...legendItems(drawn.legend));
  }
}

/** What the first solver says to a request of the puzzle. */
export function ask({ puzzle, text }, request, value, part) {
  const { contender } = puzzle.backends.find(({ default: first }) => first);
  return post("/api/ask", { puzzle: puzzle.name, text, contender, request, value, ...asker(part) });
}

/** Cells of a board up to which the server writes percentages into the heat map. */
const MAX_LABELS = 2500;

const value = (fraction) => {
  const [above, below = 1] = fraction.split("/").map(Number);
  return above / below;
};

/** A number as digits, a comma between thousands; one that is too long for a line as a power of ten. */
const grouped = (digits) =>
  digits.length <= 30 ? BigInt(digits).toLocaleString("en") : `About ${digits[0]}.${digits.slice(1, 3)} · 10^${digits.length - 1}`;

/** Cells that a sentence names. */
const MAX_NAMED = 8;

/** The sentence on the cells to open next, with the number of cells in place of a long list. */
function shortened(text) {
  const [first, ...rest] = text.split("\n");
  const [about, places] = first.split(": ");
  const count = places?.split(" ").length ?? 0;
  if (count <= MAX_NAMED) return text;
  const kind = about === "Safe" ? `${counted(count, "safe cell")}, marked below.` : `${about}: ${counted(count, "cell")}, marked below.`;
  return [kind, ...rest].join("\n");
}

export const percent = (fraction) => `${(100 * value(fraction)).toPrecision(2)}%`;

/** Without percentages a dot in each undecided cell, the larger the likelier: so the map needs no colour. */
function dots(svg, probability) {
  probability.forEach((line, row) =>
    line.forEach((fraction, column) => {
      if (fraction === null || fraction === "0" || fraction === "1") return;
      const radius = (0.44 * Math.sqrt(value(fraction))).toFixed(2);
      layer(svg).append(shape(`<circle class="dot" cx="${column + 0.5}" cy="${row + 0.5}" r="${radius}"/>`));
    }),
  );
}
