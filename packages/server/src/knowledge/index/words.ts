/*
 * A term is looked for inside of texts, not only at the beginning of words. It consists of letters, digits, `_` and `-`
 * alone, so wherever it is found, it lies within one run of such characters: knowing in which runs a term lies, and which
 * files have those runs, is enough. Very long runs are known by overlapping windows.
 */

const TERM = /[\p{L}\p{N}_-]{2,}/gu;
/** With marks: lower-casing may leave one behind, and a term that has it must still lie within a run. */
const RUN = /[\p{L}\p{N}\p{M}_-]{2,}/gu;

const WINDOW = 64;
const STEP = 32;
/** Every part of a run up to this length lies whole in one of its windows. */
export const KNOWN_CHARS = STEP;

/** Beyond this many, terms say nothing more about what is looked for. */
const MOST_TERMS = 128;

/** What is looked for: distinct, in order of first appearance. */
export function termsOf(query: string): string[] {
  const terms = new Set<string>();
  for (const [term] of query.matchAll(TERM)) {
    terms.add(term.toLowerCase());
    if (terms.size === MOST_TERMS) break;
  }
  return [...terms];
}

/** The words a text is known by. */
export function wordsOf(text: string): Set<string> {
  const words = new Set<string>();
  for (const [run] of text.toLowerCase().matchAll(RUN)) {
    if (run.length <= WINDOW) words.add(run);
    else for (const window of windowsOf(Array.from(run))) words.add(window);
  }
  return words;
}

function* windowsOf(chars: readonly string[]): Generator<string> {
  for (let at = 0; ; at += STEP) {
    yield chars.slice(at, at + WINDOW).join('');
    if (at + WINDOW >= chars.length) return;
  }
}

/** Where a word can be entered at, and how it goes on from there. */
export function suffixesOf(word: string): string[] {
  const chars = Array.from(word);
  const suffixes: string[] = [];
  for (let at = 0; at < chars.length - 1; at += 1) suffixes.push(chars.slice(at, at + KNOWN_CHARS).join(''));
  return suffixes;
}
