/** Which contenders answer, at a click: each backend, each SAT solver of those that write a formula, each program of one's own. */

import { byId, element } from "./dom.js";

export class Solvers {
  constructor(page) {
    this.page = page;
    this.chosen = new Map();
    this.known = new Map();
  }

  /** Another puzzle: its backends. What was chosen for it before is still chosen, if the server still has it. What is new is chosen by default. */
  choose(puzzle) {
    this.puzzle = puzzle;
    const every = [...puzzle.programs, ...puzzle.backends];
    const known = new Set(every.flatMap(({ contender, solvers = [] }) => [contender, ...solvers.map((solver) => `${contender} ${solver}`)]));
    const defaults = [...every.filter((each) => each.default).map((each) => each.contender), ...puzzle.chosen];
    const before = this.known.get(puzzle.name) ?? new Set();
    const kept = [...(this.chosen.get(puzzle.name) ?? [])].filter((name) => known.has(name));
    const chosen = [...kept, ...defaults.filter((name) => !before.has(name))];
    this.chosen.set(puzzle.name, new Set(chosen.length ? chosen : defaults));
    this.known.set(puzzle.name, known);
    const sides = [...new Set(puzzle.backends.map(({ side }) => side))];
    const boxes = (every) => element("div", { class: "boxes" }, ...every);
    const programs = boxes(puzzle.programs.map((each) => this.#box(each.contender, each)));
    byId("solvers").replaceChildren(
      ...(puzzle.programs.length ? [element("fieldset", {}, element("legend", {}, "Programs"), programs)] : []),
      ...sides.map((side) => {
        const backends = puzzle.backends.filter((each) => each.side === side);
        const plain = backends.map((each) => this.#box(each.contender, each));
        const solvers = backends
          .filter((each) => each.solvers.length && !each.absent)
          .map((each) => {
            const own = each.solvers.map((solver) => this.#box(`${each.contender} ${solver}`, each, solver));
            return element("details", {}, element("summary", {}, `${each.contender} with another SAT solver`), boxes(own));
          });
        const title = { direct: "Algorithms", models: "Models" }[side] ?? side;
        return element("fieldset", {}, element("legend", {}, title), boxes(plain), ...solvers);
      }),
    );
  }

  /** The chosen contenders, in the order of the list. */
  get contenders() {
    return [...this.chosen.get(this.puzzle.name)];
  }

  /** The programs that answer another puzzle, and are not asked here unless somebody chooses them: `{contender, fault}`. */
  get idle() {
    return this.puzzle.programs.filter(({ contender, fault, default: isAsked }) => fault && !isAsked && !this.chosen.get(this.puzzle.name).has(contender));
  }

  #box(contender, backend, label = contender) {
    const chosen = this.chosen.get(this.puzzle.name);
    const input = element("input", { type: "checkbox", checked: chosen.has(contender), disabled: Boolean(backend.absent) });
    input.addEventListener("change", () => {
      if (input.checked) chosen.add(contender);
      else if (chosen.size > 1) chosen.delete(contender);
      else {
        input.checked = true;
        return this.page.say(`${contender} stays: somebody has to answer. Choose another solver first.`);
      }
      return this.page.ask();
    });
    const notes = [backend.complete === false ? "part of the answer" : "", backend.absent ?? ""].filter(Boolean).join("; ");
    return element("label", { class: "box", title: backend.about ?? backend.fault }, input, label, notes ? element("small", {}, ` (${notes})`) : "");
  }
}
