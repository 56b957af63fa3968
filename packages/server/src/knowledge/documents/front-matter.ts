/** The lines `key: value` between two lines `---` at the beginning of a text; nothing else of them is understood. */
export function frontMatter(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  const end = /^---\r?\n/.test(text) ? endOf(text) : -1;
  if (end < 0) return values;
  for (const line of text.slice(text.indexOf('\n') + 1, end).split('\n')) {
    const colon = line.indexOf(':');
    if (colon >= 0) values.set(line.slice(0, colon).trim(), line.slice(colon + 1).trim());
  }
  return values;
}

/** Where the closing line begins; -1 without one. */
function endOf(text: string): number {
  const found = /\n---\r?(?:\n|$)/.exec(text);
  return found ? found.index + 1 : -1;
}
