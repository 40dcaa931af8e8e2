/** Where boards come from, other than from drawing: bundled ones, random ones, text, files. */

import { Board } from "./board.js";
import { button, byId, copyButton, counted, element, field, group, keep, line, numberField, save, wholeNumber } from "./dom.js";
import { fragment, here, linkIn } from "./link.js";
import { live, post, silent } from "./server.js";

/** Larger files are refused by the server. */
const MAX_CHARACTERS = 200_000;

const MAX_SEED = 2 ** 31;

export class Sources {
  /** `page.open(read, {label})` shows a board that the server has read; `page.say(sentence)` says what is wrong. */
  constructor(page) {
    this.page = page;
    const needsServer = { class: "needs-server" };
    byId("text-actions").append(
      button("Use this text", () => this.read(byId("text").value), needsServer),
      copyButton("Copy", () => page.text),
      button("Open a file", () => byId("file").click(), needsServer),
      button("Save as .in", () => page.puzzle && save(page.puzzle.input_file, page.text)),
      copyButton("Copy the link", () => here(fragment(page.puzzle.name, page.text, page.given))),
      element("input", { type: "file", id: "file", accept: ".in,.txt,text/plain", hidden: true, onchange: (event) => this.#file(event.target) }),
    );
    if (!live) return;
    document.addEventListener("paste", (event) => {
      if (event.target.matches?.("input, textarea")) return;
      const text = event.clipboardData.getData("text/plain");
      if (text.trim()) this.read(text);
    });
    document.addEventListener("dragover", (event) => event.preventDefault());
    document.addEventListener("drop", (event) => {
      event.preventDefault();
      const [file] = event.dataTransfer.files;
      if (file) this.#take(file);
    });
  }

  /** Another puzzle: its bundled boards and its families. */
  choose(puzzle) {
    const { noun } = puzzle;
    this.samples = element("select", { onchange: () => this.#sample() });
    this.list(puzzle.samples, `${noun}s that come with it`);
    this.family = element("select", { onchange: () => this.#bounds() }, ...puzzle.families.map(({ name }) => new Option(name)));
    this.about = element("p", { class: "hint" });
    this.size = numberField(1, puzzle.largest, 8);
    this.seed = numberField(0, MAX_SEED, 1);
    const make = (step) => {
      const say = (sentence) => this.page.say(sentence);
      const size = wholeNumber(this.size, `Sizes of ${this.family.value}`, say);
      const seed = size === null ? null : wholeNumber(this.seed, "Seeds", say);
      if (seed === null) return;
      keep(this.seed, Math.min(seed + step, MAX_SEED));
      this.random(this.family.value, size, Number(this.seed.value));
    };
    const makers = group(button("Make", () => make(0)), button("Next seed", () => make(1)));
    const random = line(field("Random", this.family), field("Size", this.size), field("Seed", this.seed), makers);
    random.hidden = this.about.hidden = !live || !puzzle.families.length;
    byId("sources").replaceChildren(line(field("Open", this.samples)), random, this.about);
    if (puzzle.families.length) this.#bounds();
  }

  /** Offer these texts in the list: `{name, dataset, text}`. */
  list(texts, title) {
    this.texts = texts;
    const groups = new Map();
    texts.forEach(({ name, dataset }, k) => {
      if (!groups.has(dataset)) groups.set(dataset, element("optgroup", { label: dataset }));
      groups.get(dataset).append(new Option(name, k));
    });
    this.samples.replaceChildren(new Option(`${title} ...`, ""), ...groups.values());
  }

  /** The board is another one than the one that was opened: the list names it no longer. */
  changed(text) {
    if (this.samples.value !== "" && this.texts[Number(this.samples.value)].text !== text) this.samples.value = "";
  }

  /** Read contest text. Of several boards the first is shown, and the list offers the others. */
  async read(text) {
    const { page } = this;
    if (!page.puzzle) return;
    const fragment = linkIn(text);
    if (fragment) return page.follows(fragment);
    if (text.length > MAX_CHARACTERS) return page.say("This text is too long: the page takes up to 200,000 characters.");
    try {
      const { boards } = await this.#parsed(text, page.puzzle);
      page.open(boards[0]);
      const { noun } = page.puzzle;
      if (boards.length > 1) {
        const texts = boards.map((board, k) => ({ name: `${noun} ${k + 1}`, dataset: "this text", text: board.text }));
        this.list([...texts, ...page.puzzle.samples], `${boards.length} ${noun}s in this text`);
      }
    } catch (error) {
      if (silent(error)) return;
      page.say(error.message);
      if (error.place && byId("text").value === text) this.select(...error.place);
    }
  }

  /** What the server reads in a text: an input file, or else the rows of one grid. */
  async #parsed(text, puzzle) {
    const read = (each) => post("/api/read", { puzzle: puzzle.name, text: each });
    try {
      return await read(text);
    } catch (error) {
      const whole = silent(error) ? null : bareGrid(text, puzzle);
      if (whole === null) throw error;
      if (whole.fault) throw Object.assign(new Error(whole.fault), { place: error.place });
      return await read(whole.text);
    }
  }

  /** Select the character of the text that cannot be read. */
  select(line, column) {
    const area = byId("text");
    const before = area.value.split("\n").slice(0, line - 1);
    const at = before.reduce((sum, each) => sum + each.length + 1, column - 1);
    area.focus();
    area.setSelectionRange(at, at + 1);
  }

  #sample() {
    const { value } = this.samples;
    if (value !== "") this.read(this.texts[Number(value)].text);
  }

  #bounds() {
    const family = this.page.puzzle.families.find(({ name }) => name === this.family.value);
    this.size.min = family.least;
    this.size.max = family.most;
    keep(this.size, Math.min(Math.max(Number(this.size.value), family.least), family.most));
    this.about.textContent = `${family.name}: ${family.about}. Sizes from ${family.least} to ${family.most}.`;
  }

  /** Show the board of a family with this size and seed. */
  async random(family, size, seed) {
    const { page } = this;
    try {
      page.open(await post("/api/random", { puzzle: page.puzzle.name, family, size, seed }));
    } catch (error) {
      if (!silent(error)) page.say(error.message);
    }
  }

  #file(input) {
    const [file] = input.files;
    if (file) this.#take(file);
    input.value = "";
  }

  async #take(file) {
    if (file.size > MAX_CHARACTERS) this.page.say(`${file.name} is too large: the page takes up to 200 kB.`);
    else this.read(await file.text());
  }
}

/**
 * `{text, fault}` of a text that holds the rows of a grid alone: the input file with this board, or what is wrong with the rows. Blanks
 * between the cells are left out. Null if the text is no such grid.
 */
function bareGrid(text, { grid, name, symbols, header, prefix, ...puzzle }) {
  if (!text.trim()) return null;
  const known = symbols.map(({ symbol }) => symbol);
  const isFile = (prefix ? /^\d+\s*\n\s*\d+[ \t]+\d/ : /^\d+([ \t]+\d+)*\s*\n/).test(text.trimStart());
  if (!grid || (isFile && (prefix || !known.some((symbol) => /\d/.test(symbol))))) return null;
  const rows = text.trim().split(/\r?\n/).map((row) => row.replaceAll(/\s/g, ""));
  if (prefix && isSizeOf(text.trim().split(/\s*\n/)[0], rows.slice(1))) {
    return { text: "", fault: `The number of ${puzzle.noun}s is missing: write ${prefix.trim()} as a line of its own above the size.` };
  }
  const [{ length: columns }] = rows;
  const size = `${rows.length}x${columns}`;
  const strange = [...rows.join("")].find((symbol) => !known.includes(symbol));
  const uneven = rows.findIndex((row) => row.length !== columns);
  const { largest, square } = puzzle;
  const fault =
    strange !== undefined
      ? `${strange} is no symbol of ${name}. The symbols are: ${known.join(" ")}`
      : uneven > 0
        ? `Row ${uneven + 1} has ${counted(rows[uneven].length, "cell")}, row 1 has ${columns}.`
        : rows.length * columns > largest ** 2
          ? `This grid is too large: ${size}, and the page takes at most ${counted(largest ** 2, "cell")}. Solve it with python -m compare run.`
          : square && rows.length !== columns
            ? `A board of ${name} is a square, and this grid is ${size}.`
            : "";
  return { text: fault ? "" : new Board(rows.length, columns, rows.join("")).text({ header, prefix, ...puzzle }), fault };
}

/** Whether a line begins with the number of these rows and of their columns. */
function isSizeOf(line, rows) {
  const [height, width] = line.split(/[ \t]+/).map(Number);
  return height === rows.length && width === rows[0]?.length;
}
