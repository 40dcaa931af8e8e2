/** What stands behind the answers: rules, solvers, formulas, and the lines of Python and shell that do the same. */

import { button, byId, copyButton, counted, element, field, group, line, save } from "./dom.js";
import { Growth } from "./growth.js";
import { fragment, here } from "./link.js";
import { asker, live, post, silent } from "./server.js";

/** Lines of comments and lines of clauses that are shown; the file has them all. */
const SHOWN_COMMENTS = 12;
const SHOWN_CLAUSES = 20;

export class Explain {
  constructor(page) {
    this.page = page;
    this.growth = new Growth(page);
    this.panels = new Map([
      ["Rules", element("div", { class: "prose" })],
      ["How they solve it", element("div", { class: "prose" })],
      ...(live ? [["Formula", element("div")]] : []),
      ["Python and shell", element("div")],
      ...(live ? [["Race and growth", this.growth.root]] : []),
    ]);
    this.#tabs();
  }

  choose(puzzle) {
    const at = (name) => this.panels.get(name);
    const source = puzzle.source ? [element("p", { class: "hint" }, `Source: ${puzzle.source}`)] : [];
    const best = { less: "The least value is asked for.", greater: "The greatest value is asked for." }[puzzle.better];
    at("Rules").innerHTML = puzzle.rules_html;
    at("Rules").append(...(best ? [element("p", {}, best)] : []), ...source);
    for (const block of at("Rules").querySelectorAll("pre")) block.tabIndex = 0; // it may scroll
    at("How they solve it").replaceChildren(...puzzle.backends.map(about));
    this.refused();
    if (!live) return;
    at("Formula").replaceChildren(...this.#formula(puzzle));
    this.growth.choose(puzzle);
    this.raceTab.hidden = !puzzle.races;
  }

  /** Another board: the formula and the lines that are shown are not its own. */
  changed() {
    this.panels.get("Python and shell").classList.add("old");
    this.panels.get("Formula")?.querySelector("[role=status]")?.replaceChildren();
  }

  /** The board has no answer. */
  refused() {
    this.panels.get("Python and shell").replaceChildren(element("p", {}, "The lines appear with the answers."));
    this.panels.get("Python and shell").classList.remove("old");
  }

  /** The lines that do what the page has just done. */
  answered({ python, command }) {
    const { puzzle, text } = this.page;
    this.panels.get("Python and shell").replaceChildren(
      listing("In Python", python),
      listing("In a shell", command, button(`Save ${puzzle.input_file}`, () => save(puzzle.input_file, text))),
      listing(`The command that starts ${live ? "this page" : "the page on which you can draw"}`, this.page.command),
      listing(`This board on this page${live ? ", while it is started" : ""}`, here(fragment(puzzle.name, text))),
    );
    this.panels.get("Python and shell").classList.remove("old");
  }

  #formula(puzzle) {
    const backends = puzzle.backends.filter(({ encodes }) => encodes);
    if (!backends.length) return [element("p", {}, "No solver of this puzzle writes a formula.")];
    const choice = element("select", {}, ...backends.map(({ contender }) => new Option(contender)));
    const result = element("div", { role: "status" });
    const show = async () => {
      result.replaceChildren("Writing the formula ...");
      try {
        const body = { puzzle: puzzle.name, text: this.page.text, contender: choice.value, ...asker("-formula") };
        result.replaceChildren(...formula(await post("/api/formula", body), puzzle));
      } catch (error) {
        result.replaceChildren(silent(error) ? "" : error.message);
      }
    };
    const about = "A model says in clauses what an answer is. A SAT solver then searches for values that satisfy all of them.";
    return [element("p", {}, about), line(field("Model", choice), button("Show the formula", show)), result];
  }

  /** Tabs as the ARIA pattern has them: one stop of the Tab key, arrow keys choose. */
  #tabs() {
    const names = [...this.panels.keys()];
    const tabs = names.map((name, k) => button(name, () => choose(k), { role: "tab", id: `tab-${k}`, "aria-controls": `panel-${k}` }));
    const choose = (chosen) =>
      names.forEach((name, k) => {
        tabs[k].setAttribute("aria-selected", String(k === chosen));
        tabs[k].tabIndex = k === chosen ? 0 : -1;
        this.panels.get(name).hidden = k !== chosen;
      });
    names.forEach((name, k) => {
      const panel = this.panels.get(name);
      panel.id = `panel-${k}`;
      for (const [key, value] of Object.entries({ role: "tabpanel", "aria-labelledby": `tab-${k}`, tabindex: "0" }))
        panel.setAttribute(key, value);
      tabs[k].addEventListener("keydown", ({ key }) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
        const count = tabs.filter(({ hidden }) => !hidden).length; // a hidden tab is the last one
        const next = key === "Home" ? 0 : key === "End" ? count - 1 : step ? (k + step + count) % count : null;
        if (next === null) return;
        choose(next);
        tabs[next].focus();
      });
    });
    this.raceTab = tabs.at(-1);
    byId("tabs").append(...tabs);
    byId("panels").append(...this.panels.values());
    choose(0);
  }
}

/** A backend: what it does, where it comes from, and what it cannot. */
function about(backend) {
  const limits = [
    backend.complete ? "" : "It claims a part of the answer only.",
    backend.limit ? `By default it takes up to ${counted(backend.limit, "cell")}.` : "",
    backend.absent ? `It cannot run here: ${backend.absent}.` : "",
  ].filter(Boolean);
  const words = element("p", {}, ...withCode([backend.about, ...limits].join(" ")));
  return element("section", {}, element("h3", {}, backend.contender), words, element("p", { class: "hint" }, `Source: ${backend.source}`));
}

/** A text in which `backticks` stand around code. */
const withCode = (text) => text.split("`").map((part, k) => (k % 2 ? element("code", {}, part) : part));

/** The first comments of a formula, its header and its first clauses. */
function shortened(dimacs) {
  const all = dimacs.trimEnd().split("\n");
  const header = Math.max(all.findIndex((line) => line.startsWith("p ")), 0);
  const first = (part, most, noun) =>
    part.length > most ? [...part.slice(0, most), `... and ${counted(part.length - most, `more ${noun}`)}`] : part;
  const comments = first(all.slice(0, header), SHOWN_COMMENTS, "comment");
  return [...comments, ...first(all.slice(header), SHOWN_CLAUSES, "line")].join("\n");
}

function formula({ variables, clauses, dimacs, command }, puzzle) {
  const size = element("strong", {}, `${counted(variables, "variable")}, ${counted(clauses, "clause")}`);
  return [
    line(size, button("Save as DIMACS", () => save(puzzle.formula_file, dimacs))),
    element("pre", { tabindex: "0", "aria-label": "The formula in DIMACS" }, shortened(dimacs)),
    listing("The command that writes it", command),
  ];
}

/** A text to copy, with its title. */
function listing(title, text, ...buttons) {
  const head = line(element("h3", {}, title), group(copyButton("Copy", () => text), ...buttons));
  return element("section", { class: "listing" }, head, element("pre", { tabindex: "0" }, text));
}
