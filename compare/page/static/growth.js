/** A race: the solvers on growing boards of a family, in the background. The curve grows as they run. */

import { curves } from "./curve.js";
import { duration, element, field, shape, wholeNumber } from "./dom.js";
import { lines, post, session, silent } from "./server.js";

export class Growth {
  constructor(page) {
    this.page = page;
    this.root = element("div");
    this.running = null;
  }

  choose(puzzle) {
    this.stop();
    if (!puzzle.families.length) {
      this.root.replaceChildren(element("p", {}, "This puzzle has no families of boards that grow."));
      return;
    }
    const number = (value, least, most) =>
      element("input", { type: "number", value: String(value), min: String(least), max: String(most), inputmode: "numeric" });
    this.family = element("select", {}, ...puzzle.families.map(({ name, about }) => new Option(`${name}: ${about}`, name)));
    this.largest = number(32, 2, puzzle.largest);
    this.seconds = number(2, 1, 10);
    this.who = element("select", {}, new Option("all backends", "all"), new Option("the chosen solvers", "chosen"));
    this.go = element("button", { type: "button", class: "main", onclick: () => this.run() }, "Start the race");
    this.halt = element("button", { type: "button", onclick: () => this.stop(), disabled: true }, "Stop");
    this.bar = element("progress", { max: 1, value: 0, "aria-label": "progress of the race" });
    this.says = element("p", { role: "status" });
    this.result = element("ul", { class: "result" });
    this.chart = element("div");
    this.table = element("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "seconds by size" });
    const order = element(
      "div",
      { class: "line" },
      field("Family", this.family),
      field("Who", this.who),
      field("Up to size", this.largest),
      field("Seconds a run", this.seconds),
      element("div", { class: "group" }, this.go, this.halt),
    );
    const about = element("p", {}, "Which solver is faster, and from which size on? Boards grow until a run takes too long.");
    this.root.replaceChildren(about, order, this.bar, this.says, this.chart, this.result, this.table);
    this.bar.hidden = this.table.hidden = true;
  }

  async run() {
    this.stop();
    const { puzzle } = this.page;
    const say = (sentence) => (this.says.textContent = sentence);
    const largest = wholeNumber(this.largest, "Sizes", say);
    const seconds = largest === null ? null : wholeNumber(this.seconds, "Seconds", say);
    if (seconds === null) return;
    const contenders =
      this.who.value === "chosen"
        ? this.page.solvers.contenders
        : puzzle.backends.filter(({ absent }) => !absent).map(({ contender }) => contender);
    const running = (this.running = new AbortController());
    this.sizes = [];
    this.contenders = contenders;
    this.#busy(true);
    this.result.replaceChildren();
    this.says.textContent = "The race is on.";
    try {
      const body = {
        puzzle: puzzle.name,
        family: this.family.value,
        contenders,
        largest,
        seconds,
        session: `${session}-race`,
      };
      for await (const line of lines("/api/growth", body, running.signal)) {
        if (running.signal.aborted) return;
        if (line.type === "size") this.#add(line);
        else this.#end(line.lines);
      }
    } catch (error) {
      if (running.signal.aborted) return;
      this.says.textContent = silent(error) ? "The race broke off: the server is gone." : error.message;
    } finally {
      if (this.running === running) this.#busy(false);
    }
  }

  stop() {
    if (!this.running) return;
    this.running.abort();
    this.says.textContent = `Stopped after ${this.sizes.length} sizes.`;
    this.#busy(false);
    post("/api/stop", { session: `${session}-race` }).catch(() => null);
  }

  #busy(busy) {
    if (!busy) this.running = null;
    this.go.disabled = busy;
    this.halt.disabled = !busy;
    this.bar.hidden = !busy;
    if (busy) this.bar.removeAttribute("value");
  }

  #add(line) {
    this.sizes.push(line);
    this.bar.max = line.sizes;
    this.bar.value = line.done;
    this.says.textContent = `Size ${line.size} is done: ${line.done} of ${line.sizes}.`;
    const series = Object.fromEntries(this.contenders.map((name) => [name, []]));
    for (const { cells, points } of this.sizes)
      for (const [name, { median_s: seconds }] of Object.entries(points))
        if (seconds !== null) series[name]?.push({ cells, seconds: Math.max(seconds, 1e-6) });
    const markup = curves(series);
    this.chart.replaceChildren(...(markup ? [shape(markup)] : []));
    this.table.replaceChildren(this.#numbers());
    this.table.hidden = false;
  }

  /** Who is faster than whom, a line each. */
  #end(sentences) {
    this.says.textContent = "The race is over.";
    this.result.replaceChildren(...sentences.map((sentence) => element("li", {}, sentence)));
  }

  #numbers() {
    const head = ["size", "cells", ...this.contenders].map((name) => element("th", { scope: "col" }, name));
    const rows = this.sizes.map(({ size, cells, points }) => {
      const times = this.contenders.map((name) => {
        const point = points[name];
        return element("td", {}, !point ? "–" : point.median_s !== null ? duration(point.median_s) : (point.stopped ?? "–"));
      });
      return element("tr", {}, element("th", { scope: "row" }, String(size)), element("td", {}, cells.toLocaleString("en")), ...times);
    });
    return element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows));
  }
}
