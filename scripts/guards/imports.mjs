import { posix } from 'node:path';

const STATEMENT = /^(?:import|export)\b(?<what>[^;'"]*?)\bfrom '(?<to>[^']+)'|^import '(?<bare>[^']+)'/gm;
const LAZY = /\bimport\('(?<to>[^']+)'\)/g;

/** Every import and re-export of a file: what it names, whether it is a type or loaded later, and its line. */
export function importsOf(from, text) {
  const found = [];
  const add = (match, to, lazy) => {
    const path = to.startsWith('.') ? posix.join(posix.dirname(from), to) : to;
    found.push({ from, to: path, lazy, line: text.slice(0, match.index).split('\n').length });
  };
  for (const match of text.matchAll(STATEMENT)) {
    const { what = '', to, bare } = match.groups;
    add(match, to ?? bare, what.trimStart().startsWith('type '));
  }
  for (const match of text.matchAll(LAZY)) add(match, match.groups.to, true);
  return found;
}
