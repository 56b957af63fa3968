import { MANAGED_FOLDERS } from '@parley/protocol/knowledge/vocabulary';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DetailError } from '../../wire/memory/errors.ts';
import { isManaged, requirePath } from './path.ts';

/** The key of a path that may be written to; undefined when it is refused. */
function writable(path: string): string | undefined {
  try {
    const key = requirePath(path);
    return isManaged(key) ? undefined : key;
  } catch (error) {
    if (error instanceof DetailError) return undefined;
    throw error;
  }
}

const wide = (text: string): string =>
  text.replace(/[!-~]/g, (char) => String.fromCharCode(char.charCodeAt(0) + 0xfee0));
const encoded = (text: string): string =>
  text.replace(/[a-z./]/gi, (char) => `%${char.charCodeAt(0).toString(16)}`);

const SPELLINGS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.toUpperCase(),
  (text) => text.charAt(0).toUpperCase() + text.slice(1),
  wide,
  encoded,
  (text) => encoded(encoded(text)),
  (text) => `${text.slice(0, 1)}\u200b${text.slice(1)}`,
  (text) => `\u00ad${text}`,
  (text) => text.replace(/i/g, '\u2170').replace(/s/g, '\u017f').replace(/k/g, '\u212a'),
];

/** What a program makes of a path that decodes, folds and resolves all it can. */
function resolved(path: string): string {
  let text = path;
  for (let round = 0; round < 4; round += 1) {
    try {
      text = decodeURIComponent(text);
    } catch {
      break;
    }
  }
  const segments: string[] = [];
  const plain = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\u200b\u00ad]/g, '');
  for (const segment of plain.split(/[/\\]+/)) {
    if (segment === '..') segments.pop();
    else if (segment !== '.' && segment !== '') segments.push(segment);
  }
  return segments.join('/');
}

const isReserved = (path: string): boolean =>
  MANAGED_FOLDERS.some((folder) => path === folder || path.startsWith(`${folder}/`));

describe('paths', () => {
  test('no spelling of a path leads to what the server keeps', () => {
    const segment = fc.constantFrom(
      ...[...MANAGED_FOLDERS].flatMap((folder) => folder.split('/')),
      'projects',
      'memory',
      'x.json',
      '..',
      '.',
      '',
      '.git',
    );
    const spelled = fc
      .tuple(segment, fc.constantFrom(...SPELLINGS))
      .map(([text, spelling]) => spelling(text));
    const joined = fc
      .tuple(
        fc.array(spelled, { minLength: 1, maxLength: 6 }),
        fc.constantFrom('/', '//', '/./', '\\', '%2f'),
      )
      .map(([segments, between]) => segments.join(between));
    fc.assert(
      fc.property(joined, (path) => {
        const key = writable(path);
        if (key === undefined) return;
        expect(isReserved(resolved(key))).toBe(false);
        expect(key.split('/').some((part) => part === '..' || part === '.' || part === '')).toBe(false);
        expect(resolved(key).split('/')).not.toContain('.git');
        expect(requirePath(key)).toBe(key);
      }),
      { numRuns: 5_000 },
    );
  });

  test('whatever is sent, a path is a key or refused', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const key = writable(`projects/${text}`);
        if (key !== undefined) expect(key.startsWith('projects')).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ['projects/.git/config', undefined],
    ['projects/.GIT./config', undefined],
    ['projects/git~1/config', undefined],
    ['projects/．．/memory/x.md', undefined],
    ['projects/%2e%2e/x.md', undefined],
    ['projects/a%2fb.md', undefined],
    ['projects/a\\b.md', undefined],
    ['memory/Continuity/user-a.json', undefined],
    ['memory/core/values.md', 'memory/core/values.md'],
    ['projects/100%.md', 'projects/100%.md'],
    ['projects/.gitignore', 'projects/.gitignore'],
    ['projects/Größe/日本.md', 'projects/Größe/日本.md'],
    ['memory/continuity./user-a.json', undefined],
    ['projects/.git::$INDEX_ALLOCATION/config', undefined],
    ['memory/schedule::$DATA', undefined],
    ['memory/schedule .:x/schedule.db', undefined],
    ['projects/at 10:30.md', 'projects/at 10:30.md'],
    [`projects/%${'25'.repeat(9)}2e%${'25'.repeat(9)}2e/x.md`, undefined],
    [`memory/%${'25'.repeat(30)}73chedule/x`, undefined],
  ])('%s is the key %s', (path, key) => {
    expect(writable(path)).toBe(key);
  });

  test('a path has to fit into an index', () => {
    expect(writable(`projects/${'x'.repeat(1_100)}.md`)).toBeUndefined();
  });
});
