/** Finds a board where the chosen solvers differ, or one of them fails, and makes it smaller before one's eyes. */

import { button, byId, element, field, group, line as row, numberField, wholeNumber } from "./dom.js";
import { asker, lines, live, silent, stop } from "./server.js";

/** The part of this tab that asks. */
const PART = "-search";

/** Milliseconds for which each smaller board is seen. */
const SEEN = 90;

const MAX_SECONDS = 600;

export class Search {
  constructor(page) {
    Object.assign(this, { page, running: null, seed: 0, tried: 0 });
    this.go = button("", () => this.run());
    this.halt = button("Stop", () => this.stop(), { hidden: true, "aria-label": "Stop the search" });
    this.seconds = numberField(1, MAX_SECONDS, 60);
    this.count = element("p", { class: "hint" }); // no live region: it would never be silent
    this.says = element("p", { role: "status" });
    byId("search").append(row(group(this.go, this.halt), field("Seconds at most", this.seconds)), this.count, this.says);
  }

  /** Another puzzle. */
  choose({ searches, families, noun }) {
    this.changed();
    byId("search").hidden = !live || !searches;
    this.go.textContent = `Find a ${noun} where they differ`;
    this.go.disabled = !families.length;
    this.#say(families.length ? "" : `This puzzle has no families, so no ${noun} can be searched for.`);
  }

  /** Somebody has changed the board, or the puzzle: there is no search any more. */
  changed() {
    if (!this.running) return;
    this.#end(`The search has ended, since the ${this.page.puzzle.noun} was changed.`);
    stop(PART);
  }

  async run() {
    const { page } = this;
    const seconds = wholeNumber(this.seconds, "Seconds", (sentence) => page.say(sentence));
    if (seconds === null) return;
    const running = (this.running = new AbortController());
    const { contenders } = page.solvers;
    Object.assign(this, { tried: 0, reached: null, seed: this.seed + 1 });
    this.#busy(true);
    this.#say(`Searching with ${contenders.join(", ")}${page.given ? ". The answer of the link takes no part: it is about this one alone" : ""}.`);
    try {
      const body = { puzzle: page.puzzle.name, contenders, seconds, seed: this.seed, ...asker(PART) };
      for await (const line of lines("/api/search", body, running.signal)) {
        await this.#take(line);
        if (running.signal.aborted) return;
      }
      this.#end("The search broke off. Start it again.");
    } catch (error) {
      if (!running.signal.aborted) this.#end(silent(error) ? "The search broke off: the server is gone." : error.message);
    }
  }

  /** Stop it, here and on the server. The smallest board so far stays. */
  stop() {
    const { reached } = this;
    this.#end(reached ? "Stopped. What was found is as small as it was made so far." : `Stopped after ${this.#boards}: no fault was found.`);
    stop(PART);
    if (reached) this.page.ask();
  }

  get #boards() {
    return `${this.tried.toLocaleString("en")} ${this.page.puzzle.noun}${this.tried === 1 ? "" : "s"}`;
  }

  async #take({ type, sentence, board, boards, rate, doing }) {
    if (type === "waiting") this.#say("Another tab searches. This search begins when that one has ended.");
    if (type === "tried") {
      this.tried = boards;
      const speed = this.reached ? "" : `, ${Math.round(rate).toLocaleString("en")} a second`;
      this.count.textContent = `${this.#boards} tried${speed}; ${doing}`;
    }
    if (type === "found") this.#say(sentence);
    if (board) {
      if (!this.reached) this.page.record();
      this.reached = board;
      this.page.preview(board, "A fault is found. Now it is made smaller ...");
      if (type !== "end" && !matchMedia("(prefers-reduced-motion: reduce)").matches) await new Promise((seen) => setTimeout(seen, SEEN));
    }
    if (type !== "end") return;
    this.#end(sentence);
    if (this.reached) this.page.ask();
  }

  #end(sentence) {
    this.running.abort();
    this.running = null;
    this.#busy(false);
    this.#say(sentence);
  }

  #busy(busy) {
    const focused = document.activeElement === (busy ? this.go : this.halt);
    this.go.hidden = busy;
    this.halt.hidden = !busy;
    if (focused) (busy ? this.halt : this.go).focus();
    this.count.textContent = "";
  }

  #say(sentence) {
    this.says.textContent = sentence;
  }
}
