/** A link is a board: the puzzle and the board's text are in the fragment of the address. */

/** `#puzzle=...&board=...` for this text. */
export const fragment = (puzzle, text, answer = null) => {
  const values = { puzzle, board: text, ...(answer ? { by: answer.giver, answer: answer.text, format: answer.format } : {}) };
  const known = Object.entries(values).filter(([, value]) => value !== undefined);
  return `#${known.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&")}`;
};

/** The address of this page with another fragment. */
export const here = (fragment) => location.href.split("#")[0] + fragment;

/** Milliseconds between two changes of the address: browsers ignore changes that come too fast. */
const PACE = 100;

let timer = null;
let latest = 0;
let pending = null;

/** Put the board into the address, at once or a moment later; `answer` is the one that the address holds beside it. */
export function write(puzzle, text, answer = null) {
  clearTimeout(timer);
  pending = fragment(puzzle, text, answer);
  timer = setTimeout(flush, Math.max(0, latest + PACE - performance.now()));
}

function flush() {
  clearTimeout(timer);
  if (pending === null) return;
  latest = performance.now();
  history.replaceState(null, "", pending);
  pending = null;
}

/** Another puzzle is a new entry in the browser's history: Back returns to the board before. */
export function enter(puzzle) {
  flush();
  const address = `#puzzle=${encodeURIComponent(puzzle)}`;
  if (location.hash.split("&")[0] !== address) history.pushState(null, "", address);
}

/** What the address of the page holds; see `parse`. */
export function read() {
  clearTimeout(timer);
  pending = null;
  return parse(location.hash);
}

/** The page's own link, if a text is nothing else: its fragment; else null. */
export const linkIn = (text) => /^https?:\/\/(?:127\.0\.0\.1|localhost)(?::\d+)?\/(#puzzle=\S+)$/.exec(text.trim())?.[1] ?? null;

/**
 * `{puzzle, text, answer}` of a fragment; null if it is empty. The answer is null, or `{giver, text, format}`. Throws an error with a
 * sentence if the fragment is broken.
 */
export function parse(hash) {
  if (hash.length < 2) return null;
  const values = {};
  for (const part of hash.slice(1).split("&")) {
    const at = part.indexOf("=");
    try {
      values[part.slice(0, at)] = decodeURIComponent(part.slice(at + 1));
    } catch {
      throw new Error("This link is broken: part of it was lost on the way. Copy it again, all of it.");
    }
  }
  if (!values.puzzle) throw new Error("This link is broken: it names no puzzle.");
  const { by: giver = "somebody", answer: text, format } = values;
  return { puzzle: values.puzzle, text: values.board ?? "", answer: text === undefined ? null : { giver, text, format } };
}
