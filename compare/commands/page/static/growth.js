/** A race: the solvers on growing boards of a family, in the background. The curve grows as they run. Lines differ by dash, marker and label. */

import { button, counted, duration, element, escaped, field, group, line as row, numberField, shape, wholeNumber } from "./dom.js";
import { asker, lines, silent, stop } from "./server.js";

/** The part of this tab that asks. */
const PART = "-race";

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
    this.family = element("select", {}, ...puzzle.families.map(({ name, about }) => new Option(`${name}: ${about}`, name)));
    this.largest = numberField(2, puzzle.largest, 32);
    this.seconds = numberField(1, 10, 2);
    this.who = element("select", {}, new Option("all backends", "all"), new Option("the chosen solvers", "chosen"));
    this.go = button("Start the race", () => this.run(), { class: "main" });
    this.halt = button("Stop", () => this.stop(), { disabled: true });
    this.bar = element("progress", { max: 1, value: 0, "aria-label": "progress of the race" });
    this.says = element("p", { role: "status" });
    this.result = element("ul", { class: "result" });
    this.chart = element("div");
    this.table = element("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "seconds by size" });
    const fields = [field("Family", this.family), field("Who", this.who), field("Up to size", this.largest), field("Seconds a run", this.seconds)];
    const order = row(...fields, group(this.go, this.halt));
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
      const body = { puzzle: puzzle.name, family: this.family.value, contenders, largest, seconds, ...asker(PART) };
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
    this.says.textContent = `Stopped after ${counted(this.sizes.length, "size")}.`;
    this.#busy(false);
    stop(PART);
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

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [760, 360, 64, 190, 16, 46];
const DASHES = ["", "7 4", "2 4", "10 4 2 4", "14 5", "4 2 1 2"];
const COLOURS = ["cool", "light", "good", "bad", "ink", "soft"];
const MARKERS = [
  (x, y) => `<circle cx="${x}" cy="${y}" r="4"/>`,
  (x, y) => `<path d="M${x - 4} ${y - 4}h8v8h-8z"/>`,
  (x, y) => `<path d="M${x} ${y - 5}l5 9h-10z"/>`,
  (x, y) => `<path d="M${x} ${y - 5.5}l5.5 5.5l-5.5 5.5l-5.5 -5.5z"/>`,
  (x, y) => `<path d="M${x - 4} ${y - 4}l8 8m0 -8l-8 8" fill="none" stroke-width="2"/>`,
  (x, y) => `<path d="M${x} ${y + 5}l5 -9h-10z"/>`,
];

/** The SVG of `series`: name -> [{cells, seconds}], sizes ascending. Empty if there is nothing to draw. */
function curves(series) {
  const points = Object.values(series).flat();
  if (!points.length) return "";
  const across = axis(points.map(({ cells }) => cells), LEFT, WIDTH - RIGHT);
  const up = axis(points.map(({ seconds }) => seconds), HEIGHT - BOTTOM, TOP);
  const ticks = [
    ...across.ticks.map((k) => `<path class="lines" d="M${across.at(10 ** k)} ${TOP}V${HEIGHT - BOTTOM}"/><text x="${across.at(10 ** k)}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${(10 ** k).toLocaleString("en")}</text>`),
    ...up.ticks.map((k) => `<path class="lines" d="M${LEFT} ${up.at(10 ** k)}H${WIDTH - RIGHT}"/><text x="${LEFT - 8}" y="${up.at(10 ** k) + 4}" text-anchor="end">${unit(k)}</text>`),
  ];
  const names = Object.keys(series).filter((name) => series[name].length);
  const ends = labels(names.map((name) => up.at(series[name].at(-1).seconds)));
  const drawn = names.map((name, k) => {
    const colour = `var(--${COLOURS[k % COLOURS.length]})`;
    const places = series[name].map(({ cells, seconds }) => [across.at(cells), up.at(seconds)]);
    const line = `<polyline fill="none" stroke-width="2" stroke-dasharray="${DASHES[k % DASHES.length]}" points="${places.map((each) => each.join()).join(" ")}"/>`;
    const [x, y] = places.at(-1);
    const label = `<path d="M${x + 6} ${y}L${WIDTH - RIGHT + 12} ${ends[k]}" stroke-width=".6"/><text x="${WIDTH - RIGHT + 16}" y="${ends[k] + 4}">${escaped(name)}</text>`;
    return `<g stroke="${colour}" fill="${colour}">${line}${places.map(([px, py]) => MARKERS[k % MARKERS.length](px, py)).join("")}${label}</g>`;
  });
  const title = `Seconds against cells: ${names.join(", ")}. The table below has the numbers.`;
  return (
    `<svg class="curve" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(title)}">${ticks.join("")}${drawn.join("")}` +
    `<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 8}" text-anchor="middle">cells</text></svg>`
  );
}

/** A logarithmic axis over whole powers of ten: `at(value)` in pixels, `ticks` as exponents. */
function axis(values, from, to) {
  const logs = values.map(Math.log10);
  const least = Math.floor(Math.min(...logs) + 1e-9);
  const most = Math.max(Math.ceil(Math.max(...logs) - 1e-9), least + 1);
  const at = (value) => Math.round(10 * (from + ((to - from) * (Math.log10(value) - least)) / (most - least))) / 10;
  return { at, ticks: Array.from({ length: most - least + 1 }, (_, k) => least + k) };
}

const unit = (exponent) =>
  exponent >= 0 ? `${10 ** exponent} s` : exponent >= -3 ? `${10 ** (exponent + 3)} ms` : `${10 ** (exponent + 6)} µs`;

/** The heights of labels, moved apart so that none covers another. */
function labels(heights, least = 16) {
  const order = heights.map((_, k) => k).sort((a, b) => heights[a] - heights[b]);
  const placed = [...heights];
  order.forEach((k, rank) => {
    if (rank) placed[k] = Math.max(placed[k], placed[order[rank - 1]] + least);
  });
  const over = Math.max(0, placed[order.at(-1)] - (HEIGHT - BOTTOM));
  return placed.map((height) => height - over);
}
