/** Both answers side by side, the check's word on each, and where they differ. */

import { button, byId, counted, duration, element, line as row, save } from "./dom.js";
import { derivation, goTo, isText, legendItems, mark, picture, point, read, ring } from "./picture.js";
import { asker, isGone, lines, stop } from "./server.js";
import { differs } from "./signs.js";

const STANDING = {
  PROVED: ["✓", "good"],
  UNPROVED: ["?", "warn"],
  REFUTED: ["✗", "bad"],
};

/** What the two sides are, for those who do not know the names. */
const KINDS = { direct: "algorithm", models: "model" };

/** What the page calls the answer of a link. */
const inLink = (giver) => `${giver} (in the link)`;

/** How a run ended that gave no answer. */
const ENDINGS = { TIMEOUT: "out of time", MEMORY: "out of memory", CRASH: "crashed", ERROR: "failed", SKIPPED: "skipped", SPARED: "not asked", UNKNOWN: "does not know" };

const SIGNS = { good: "✓", warn: "?", bad: "✗" };

/** How contests number their answers: on a page with one board this says nothing. */
const NUMBER = /^Case #?\d+: ?/;

/** Milliseconds after which the page says that it is solving. */
const SLOW = 250;

export class Answers {
  constructor(page) {
    Object.assign(this, { page, running: null, slow: null, preparing: "", pending: [], answered: new Map() });
    this.cards = new Map();
    byId("stop").addEventListener("click", () => (this.running ? this.stop() : this.ask()));
  }

  /** Why the first answers after a start of the server take long; empty if they do not. */
  prepare(sentence) {
    this.preparing = sentence;
    if (sentence) this.#say(sentence, "");
  }

  /** Answers to another board are on their way. If they take longer than a moment, the page says so. */
  wait() {
    byId("see").setAttribute("aria-busy", "true");
    for (const { root } of this.cards.values()) root.classList.add("old");
    this.slow ??= setTimeout(() => this.#slow(), SLOW);
  }

  /** The board is on its way to another one, and nobody is asked; this sentence stands in the place of the verdict. */
  hold(sentence) {
    this.running?.abort();
    this.#end();
    for (const { root } of this.cards.values()) root.classList.add("old");
    byId("see").setAttribute("aria-busy", "true");
    if (byId("verdict").textContent !== sentence) this.#say(sentence, "");
  }

  #end() {
    clearTimeout(this.slow);
    clearInterval(this.clock);
    this.slow = this.clock = this.running = null;
    byId("progress").hidden = true;
    byId("see").setAttribute("aria-busy", "false");
  }

  /** Nothing of what was said of a board before stays. */
  clear() {
    this.running?.abort();
    this.cards.clear();
    byId("cards").replaceChildren();
    byId("legend").replaceChildren();
    this.note("");
    this.#say(this.preparing || "Solving ...", "");
  }

  /** Ask the contenders for their answers to the board. What was asked before is cancelled. */
  async ask() {
    const { puzzle, text, given, solvers: { contenders, idle } } = this.page;
    this.running?.abort();
    const running = (this.running = new AbortController());
    this.wait();
    const started = (this.started = performance.now());
    const answers = (this.answered = new Map());
    const giver = given && { giver: inLink(given.giver), given: given.text, format: given.format };
    this.pending = [...(giver ? [giver.giver] : []), ...contenders];
    this.#arrange([...this.pending, ...idle.map(({ contender }) => contender)]);
    idle.forEach((program) => this.#leave(this.cards.get(program.contender), program));
    try {
      const body = { puzzle: puzzle.name, text, contenders, ...asker(), ...giver };
      for await (const line of lines("/api/solve", body, running.signal)) {
        if (running.signal.aborted || line.type === "cancelled") return;
        this.preparing = "";
        if (line.type === "answer") {
          answers.set(line.contender, line);
          this.#tick();
          this.#fill(this.cards.get(line.contender), line);
          if (this.clock) this.#wait();
        } else if (line.type === "comparison") {
          this.#compare(line, performance.now() - started);
          this.#end();
          this.page.answered(answers, line);
          return;
        }
      }
      this.refuse("The answers broke off. Change the board, or load the page again.");
    } catch (error) {
      if (!running.signal.aborted) this.refuse(isGone() ? "There is no answer to this board yet: the server is gone." : error.message, error.cell);
    }
  }

  /** Stop the solve, here and on the server. What is answered already stays. */
  stop() {
    this.running?.abort();
    stop();
    const open = this.#open;
    for (const name of open) {
      const card = this.cards.get(name);
      card.empty();
      card.standing.textContent = "stopped";
    }
    this.#end();
    const seconds = duration((performance.now() - this.started) / 1000);
    const missing = open.length ? `no answer from ${open.join(", ")}` : "the answers are not compared";
    this.#say(`Stopped after ${seconds}: ${missing}.`, "warn");
    byId("progress").hidden = false;
    byId("clock").textContent = "";
    byId("stop").textContent = "Solve again";
  }

  /** A sentence below the cards. */
  note(sentence) {
    byId("note").textContent = sentence;
  }

  /** Say why there is no answer. */
  refuse(sentence, cell = null) {
    this.clear();
    this.#say(sentence, isGone() ? "warn" : "bad");
    this.#end();
    this.page.refused(cell);
  }

  #say(sentence, mood, sign = "") {
    const place = byId("verdict");
    place.className = mood;
    place.removeAttribute("title");
    place.replaceChildren(...(sign ? [element("span", { class: "mark", "aria-hidden": "true" }, sign)] : []), sentence);
    if (place.scrollHeight > place.clientHeight) place.tabIndex = 0; // on a narrow screen it scrolls
    else place.removeAttribute("tabindex");
  }

  /** The answers take long enough that one should be told. What is still there of the board before says so. */
  #slow() {
    this.#wait();
    byId("progress").hidden = false;
    byId("stop").textContent = "Stop";
    clearInterval(this.clock);
    this.clock = setInterval(() => this.#tick(), 1000);
    this.#tick();
    for (const { root, standing, why } of this.cards.values())
      if (root.classList.contains("old")) {
        standing.className = "chip";
        standing.textContent = why.textContent ? "of the board before" : "solving";
      }
  }

  /** What is known while some still solve: the first answer that is proved, or nothing. */
  #wait() {
    const proved = [...this.answered.values()].find(({ verdict }) => verdict === "PROVED");
    const open = this.#open.join(", ");
    if (proved && open) this.#say(`${proved.words.replace(NUMBER, "")}: ${proved.contender} has it proved. Not there yet: ${open}.`, "");
    else this.#say(this.preparing || "Solving ...", "");
  }

  /** Who solves, and for how long. This is no live region: it would never be silent. */
  #tick() {
    const seconds = Math.floor((performance.now() - (this.started ?? performance.now())) / 1000);
    byId("clock").textContent = `${seconds} s: ${this.#open.join(", ")}`;
  }

  /** Who has not answered yet. */
  get #open() {
    return this.pending.filter((name) => !this.answered.has(name));
  }

  #arrange(contenders) {
    for (const [name, { root }] of this.cards)
      if (!contenders.includes(name)) {
        root.remove();
        this.cards.delete(name);
      }
    for (const name of contenders) {
      if (!this.cards.has(name)) this.cards.set(name, emptyCard(name, name.endsWith(inLink("")) ? "answer" : kindOf(name)));
      const { root } = this.cards.get(name);
      root.classList.add("old");
      byId("cards").append(root);
    }
    byId("cards").dataset.count = contenders.length;
  }

  /** The card of a program that is not asked about this puzzle. */
  #leave(card, { fault }) {
    card.empty();
    card.root.classList.remove("old");
    card.standing.className = "chip";
    card.standing.textContent = "not asked";
    card.why.textContent = `It answers another puzzle, and not the example of this one: ${fault} To ask it all the same, choose it below.`;
  }

  #fill(card, line) {
    const { puzzle } = this.page;
    card.root.classList.remove("old");
    this.#judge(card, line.verdict);
    if (line.status !== "OK") {
      card.standing.className = "chip warn";
      card.standing.textContent = ENDINGS[line.status];
    }
    const drawn = line.svg ? picture(line.svg) : null;
    card.drawn = drawn && (puzzle.grid || !isText(drawn.svg)) ? drawn : null;
    const said = card.drawn?.headline || line.words.replace(NUMBER, "");
    card.headline.replaceChildren(...(line.status === "OK" ? emphasized(said) : []));
    card.figure.replaceChildren(...(card.drawn ? [card.drawn.svg] : []));
    const isGrid = card.drawn && read(card.drawn.svg, line.cells);
    reachable(card.figure, card.drawn && !isGrid ? `The picture of ${line.contender}` : "");
    card.core.hidden = !(isGrid && ring(card.drawn.svg, line.core_cells));
    card.core.onclick = () => goTo(card.drawn.svg, line.core_cells[0]);
    card.save.hidden = !line.svg;
    card.save.onclick = () => save(`${puzzle.name}-${line.contender.replace(/\W+/g, "-")}.svg`, line.svg, "image/svg+xml");
    this.#derive(card, line.steps ?? []);
    if (line.status === "OK" && !puzzle.grid) card.figure.append(written(line));
    card.why.textContent = line.status === "OK" ? (line.why ? `The check: ${line.why}.` : "") : line.detail;
    const formula = line.variables ? `${counted(line.variables, "variable")}, ${counted(line.clauses ?? 0, "clause")}` : "";
    card.effort.textContent = [line.status === "OK" && line.seconds !== null ? duration(line.seconds) : "", formula].filter(Boolean).join(" · ");
  }

  #judge(card, verdict) {
    const [sign, mood] = STANDING[verdict] ?? ["–", "warn"];
    card.standing.className = `chip ${mood}`;
    card.standing.textContent = `${sign} ${verdict ?? "not checked"}`;
  }

  #derive(card, steps) {
    card.steps.hidden = !steps.length;
    const show = (cells) => {
      point(card.drawn?.svg, cells);
      if (this.page.puzzle.grid) this.page.editor.point(cells);
    };
    card.steps.replaceChildren(element("summary", {}, `Step by step (${steps.length})`), derivation(steps, show));
  }

  #compare(line, milliseconds) {
    this.#say(line.sentence, line.mood, SIGNS[line.mood]);
    byId("verdict").title = `${line.last_line} Answered in ${Math.round(milliseconds)} ms.`;
    for (const [name, [verdict, why]] of Object.entries(line.settled)) {
      const card = this.cards.get(name);
      this.#judge(card, verdict);
      card.why.textContent = `${card.why.textContent} ${why}`.trim();
    }
    const entries = [];
    for (const [name, card] of this.cards) {
      if (!card.drawn) continue;
      entries.push(...card.drawn.legend);
      const differences = line.differences.filter(({ contenders }) => contenders.includes(name));
      for (const { cells } of differences) mark(card.drawn.svg, cells);
      const places = [...new Set(differences.flatMap((each) => each.places))];
      card.differs.textContent = places.length ? `Differs at ${shortened(places)}.` : "";
    }
    if (line.differences.some(({ cells }) => cells.length))
      entries.push({ sign: differs([0, 0]), meaning: "the answers differ here" });
    byId("legend").replaceChildren(...legendItems(entries));
  }
}

/** A sentence with what stands before its first colon in bold; a short sentence is bold as a whole. */
function emphasized(sentence) {
  const colon = sentence.indexOf(":");
  const end = colon >= 0 ? colon + 1 : sentence.length < 60 ? sentence.length : 0;
  return [element("strong", {}, sentence.slice(0, end)), sentence.slice(end)];
}

const shortened = (places, most = 6) =>
  places.length > most ? `${places.slice(0, most).join(", ")} and ${places.length - most} more` : places.join(", ");

const kindOf = (name) => (name.includes(":") ? (KINDS[name.split(":")[0]] ?? "") : "program");

function emptyCard(name, kind) {
  const part = (tag, className) => element(tag, { class: className });
  const card = {
    standing: part("span", "chip"),
    headline: part("p", "headline"),
    figure: part("div", "figure"),
    steps: element("details", { hidden: true }),
    core: button("Show me the core", null, { class: "save", hidden: true }),
    save: button("Save as SVG", null, { class: "save", hidden: true }),
    why: part("p", "why"),
    differs: part("p", "differs-at"),
    effort: part("p", "effort"),
  };
  const head = row(element("h3", {}, element("small", {}, kind), name), card.standing);
  const { headline, figure, core, differs, steps, why, effort, save } = card;
  card.empty = () => {
    [headline, figure, differs, steps, why, effort].forEach((each) => each.replaceChildren());
    steps.hidden = save.hidden = core.hidden = true;
  };
  card.root = element("article", { class: "card", "aria-label": name }, head, headline, figure, core, differs, steps, why, effort, save);
  return card;
}

/** The keyboard reaches a box that may scroll and holds nothing that can be focused; one without a label is none. */
function reachable(box, label) {
  for (const [name, value] of Object.entries({ tabindex: "0", role: "region", "aria-label": label }))
    if (label) box.setAttribute(name, value);
    else box.removeAttribute(name);
}

/** The answer of a case that is no grid: its text, and its fields. */
function written(line) {
  const rows = Object.entries(line.fields ?? {}).map(([name, value]) => {
    const shown = typeof value === "string" ? value : JSON.stringify(value);
    return element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, shown));
  });
  const table = rows.length ? element("table", {}, element("caption", {}, "fields"), element("tbody", {}, ...rows)) : null;
  return element("div", {}, element("pre", { tabindex: "0" }, line.answer), table ?? "");
}
