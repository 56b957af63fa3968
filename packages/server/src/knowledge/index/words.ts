/*
 * A term is looked for inside of texts, not only at the beginning of words. It consists of letters, digits, `_` and `-`
 * alone, so wherever it is found, it lies within one run of such characters: knowing in which runs a term lies, and which
 * files have those runs, is enough. Very long runs are known by overlapping windows.
 *
 * Runs such as `note-4711` or `2026-04-01` are there in great number, each in hardly any file. So that a search for `note` does not
 * have to go through all of them, a run is known by its parts as well: letters, or digits, alone. A term of letters alone, or of
 * digits alone, always lies within a part, and is looked for among those; any other term among the runs that are no part.
 */

const TERM = /[\p{L}\p{N}_-]{2,}/gu;
/** With marks: lower-casing may leave one behind, and a term that has it must still lie within a run. */
const RUN = /[\p{L}\p{N}\p{M}_-]{2,}/gu;

const PART = /[\p{L}\p{M}]{2,}|\p{N}{2,}/gu;
const PURE = /^(?:[\p{L}\p{M}]+|\p{N}+)$/u;

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
    addWindows(words, run);
    if (!PURE.test(run)) for (const [part] of run.matchAll(PART)) addWindows(words, part);
  }
  return words;
}

function addWindows(words: Set<string>, run: string): void {
  if (run.length <= WINDOW) {
    words.add(run);
    return;
  }
  const chars = Array.from(run);
  for (let at = 0; ; at += STEP) {
    words.add(chars.slice(at, at + WINDOW).join(''));
    if (at + WINDOW >= chars.length) return;
  }
}

/** What no term has: runs are entered apart from parts. */
const RUNS = '/';

/** Where a term is entered at, among those of its kind. */
export const entryOf = (term: string): string => (PURE.test(term) ? term : RUNS + term);

/** Where a word can be entered at, and how it goes on from there. */
export function entriesOf(word: string): string[] {
  const chars = Array.from(word);
  const all: string[] = [];
  for (let at = 0; at < chars.length - 1; at += 1) all.push(chars.slice(at, at + KNOWN_CHARS).join(''));
  // Of a run that has parts, whatever begins and ends in one of them is found there.
  return PURE.test(word) ? all : all.filter((rest) => !PURE.test(rest)).map((rest) => RUNS + rest);
}
