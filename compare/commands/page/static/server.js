/** Talks to the server: JSON in, JSON out. Notices when the server is gone, and goes on when it is back. */

import { fromOne } from "./board.js";

let token = document.querySelector('meta[name="twofold-token"]').content;

/** The random name of this tab. */
const session = crypto.randomUUID();

let edition = 0;

/**
 * Who asks, for a request: this tab, or a part of it that asks for itself. A newer request of the same part, with its larger edition,
 * cancels the older one.
 */
export const asker = (part = "") => ({ session: named(part), edition: ++edition });

/** Stop what this tab, or a part of it, has under way on the server. */
export const stop = (part = "") => post("/api/stop", { session: named(part) }).catch(() => null);

/** A session of this tab: the server reads the name of the tab up to the slash. */
const named = (part) => (part ? `${session}/${part}` : session);

/**
 * The server refused a request; the message is its sentence, `status` the status of HTTP. If a text cannot be read, `place` is where,
 * [line, column] from 1; if that is a cell of the board, `cell` is [row, column] from 0.
 */
export class Refused extends Error {
  constructor(status, { error, place, cell }) {
    super(error);
    Object.assign(this, { status, place, cell: cell && fromOne(cell) });
  }
}

/** The status of a question that a newer one has overtaken. */
const OVERTAKEN = 409;

/** Whether a server answers. A page without one has stored.js in the place of this file. */
export const live = true;

/**
 * `gone` and `back` are events of this target. A server that was started anew is `back`, too. A `turn` has as its `detail` what this tab
 * waits for while other tabs are served, or an empty sentence.
 */
export const connection = new EventTarget();

/** Milliseconds between two looks whether the server is still there, and between two while it is gone. */
const LOOK = 1000;
const AGAIN = 500;

let waiting = false;

export const isGone = () => waiting;

async function request(path, body, signal) {
  const used = token;
  const headers = { "X-Twofold-Token": used };
  const options = body === undefined ? { headers, signal } : { headers, signal, method: "POST", body: JSON.stringify(body) };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error.name !== "AbortError") lost();
    throw error;
  }
  if (response.status === 403) {
    await look();
    if (token !== used) return request(path, body, signal);
  }
  if (!response.ok) throw new Refused(response.status, await reason(response));
  return response;
}

async function reason(response) {
  try {
    return await response.json();
  } catch {
    return { error: `The server answers with status ${response.status}.` };
  }
}

/** Take the server's token. Whether it is another one than ours: the server was started anew. */
async function renewed() {
  const page = new DOMParser().parseFromString(await (await fetch("/", { cache: "no-store" })).text(), "text/html");
  const fresh = page.querySelector('meta[name="twofold-token"]')?.content;
  if (!fresh || fresh === token) return false;
  token = fresh;
  return true;
}

/** See whether the server is still there, and still the same one. */
async function look() {
  if (waiting) return;
  try {
    if (await renewed()) connection.dispatchEvent(new Event("back"));
  } catch {
    lost();
  }
}

function lost() {
  if (waiting) return;
  waiting = true;
  connection.dispatchEvent(new Event("gone"));
  const again = async () => {
    try {
      await renewed();
    } catch {
      setTimeout(again, AGAIN);
      return;
    }
    waiting = false;
    connection.dispatchEvent(new Event("back"));
  };
  setTimeout(again, AGAIN);
}

let underWay = 0;
let turn = "";

/** What this tab waits for, as long as it waits for anything. */
async function lookTurn() {
  let sentence = "";
  if (underWay) sentence = await request("/api/turn", { session }).then((reply) => reply.json()).then((reply) => reply.sentence).catch(() => "");
  if (sentence !== turn) connection.dispatchEvent(new CustomEvent("turn", { detail: (turn = sentence) }));
}

/** An idle page notices it, too; one that nobody sees does not look. */
const watch = () => {
  if (document.hidden) return;
  look();
  if (underWay || turn) lookTurn();
};
setInterval(watch, LOOK);
document.addEventListener("visibilitychange", watch);

export const get = async (path) => (await request(path)).json();

export async function post(path, body, signal) {
  underWay++;
  try {
    return await (await request(path, body, signal)).json();
  } finally {
    underWay--;
  }
}

/** The lines of an answer, each parsed as soon as it is there. */
export async function* lines(path, body, signal) {
  underWay++;
  try {
    yield* linesOf(path, body, signal);
  } finally {
    underWay--;
  }
}

async function* linesOf(path, body, signal) {
  const reader = (await request(path, body, signal)).body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    let part;
    try {
      part = await reader.read();
    } catch (error) {
      if (error.name !== "AbortError") lost();
      throw error;
    }
    const parts = (rest + (part.value ?? "")).split("\n");
    rest = parts.pop();
    for (const line of parts) if (line) yield JSON.parse(line);
    if (part.done) return;
  }
}

/** Whether an error needs no sentence: the request was cancelled or overtaken, or the server is gone, which the page says anyway. */
export const silent = (error) => error.name === "AbortError" || error.status === OVERTAKEN || waiting;
