/**
 * Stands in the place of server.js on a page without a server: what the server would say was computed before, and lies in plain scripts
 * beside the page. Such a script calls `store(puzzle, {text: {read, lines, replies}})`.
 */

import { element } from "./dom.js";

/** Whether a server answers. */
export const live = false;

/** There is nothing stored for what was asked; the message is a sentence. */
export class Refused extends Error {}

/** Nothing happens here: a server that is not there cannot go. */
export const connection = new EventTarget();
export const isGone = () => false;
export const asker = () => ({});
export const stop = async () => null;

const { about, scripts } = globalThis.stored;

const boards = new Map();
globalThis.store = (puzzle, known) => boards.set(puzzle, known);

const loading = new Map();

/** The board of a text, with all that is stored of it. Its puzzle's script is loaded once, when it is needed. */
async function stored({ puzzle, text }) {
  if (!loading.has(puzzle))
    loading.set(
      puzzle,
      new Promise((done, fail) => {
        const onerror = () => fail(new Refused(`The file ${scripts[puzzle]} is missing beside this page.`));
        document.head.append(element("script", { src: scripts[puzzle], onload: done, onerror }));
      }),
    );
  await loading.get(puzzle);
  const known = boards.get(puzzle)?.[text] ?? boards.get(puzzle)?.[`${text}\n`];
  if (!known) throw new Refused("This board is not among those of this page, and without a server nothing can solve it.");
  return known;
}

export const get = async () => about;

export async function post(path, body) {
  const known = await stored(body);
  if (path === "/api/read") return { boards: [known.read] };
  const reply = path === "/api/ask" && known.replies[`${body.request} ${body.value}`];
  if (!reply) throw new Refused("This page has no server, and nothing was stored that answers this.");
  return reply;
}

/** The answers to a board. An answer that a link holds cannot be checked here. */
export async function* lines(path, body) {
  const known = await stored(body);
  if (path !== "/api/solve") throw new Refused("This page has no server.");
  const detail = "This page has no server that could check it.";
  if (body.giver) yield { type: "answer", contender: body.giver, status: "SKIPPED", detail, words: "", seconds: null, verdict: null };
  yield* known.lines;
}

export const silent = (error) => error.name === "AbortError";
