import { compareChars, cutChars } from '../../platform/chars.ts';
import { frontMatter } from './front-matter.ts';

export const SNIPPET_CHARS = 240;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const TAG = /#[\p{L}\p{N}_-]+/gu;

/** What is known of a document without reading it. */
export function attributesOf(path: string, text: string) {
  const [folder = ''] = path.split('/');
  const front = /\.md$/i.test(path) ? frontMatter(text) : undefined;
  const type = front?.get('type');
  return {
    type: type === undefined || type === '' ? folder : type,
    importance: numberOf(front?.get('importance')),
    tags: tagsOf(text.match(TAG)),
    snippet: snippetOf(text, SNIPPET_CHARS),
    size: Buffer.byteLength(text),
  };
}

const tagsOf = (found: Iterable<string> | null): string[] => [...new Set(found)].toSorted(compareChars);

/** Of a text that was continued: a JSON list, as the one before it. */
export function mergedTags(before: string, more: string): string {
  const added = more.match(TAG);
  // Written by `fileFacts`.
  return added ? JSON.stringify(tagsOf([...(JSON.parse(before) as string[]), ...added])) : before;
}

function numberOf(said: string | undefined): number | null {
  const number = said !== undefined && NUMBER.test(said) ? Number(said) : Number.NaN;
  return Number.isFinite(number) ? number : null;
}

/** The beginning on one line. */
export function snippetOf(text: string, chars: number): string {
  // Enough for every snippet, unless it is nearly all white space.
  const head = text.length > 64 * chars ? text.slice(0, 64 * chars) : text;
  const line = head.trim().replace(/\s+/gu, ' ');
  const cut = cutChars(line, chars);
  return cut.length < line.length || head.length < text.length ? `${cut}...` : cut;
}
