const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Characters as a reader counts them. */
const charactersOf = (text: string): string[] =>
  Array.from(graphemes.segment(text), ({ segment }) => segment);

/** Where terminals give a character two columns: the wide blocks of East Asia, and pictures. */
const WIDE: readonly (readonly [from: number, to: number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18aff],
  [0x1b000, 0x1b2ff],
  [0x20000, 0x3fffd],
];
const PICTURE = /\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f/u;
const ZERO = /^[\p{Mn}\p{Me}\u200c\u200d]+$/u;

function columnsOfCharacter(character: string): number {
  if (ZERO.test(character)) return 0;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x1100) return 1;
  if (PICTURE.test(character)) return 2;
  return WIDE.some(([from, to]) => code >= from && code <= to) ? 2 : 1;
}

/** How many columns of a terminal a text without control characters takes. */
export function columnsOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  return charactersOf(text).reduce((sum, character) => sum + columnsOfCharacter(character), 0);
}

export function padded(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - columnsOf(text)));
}

/** Lines of at most so many columns, broken between words; a word that is longer is cut. */
export function wrapped(text: string, columns: number): string[] {
  const width = Math.max(1, columns);
  return text.split('\n').flatMap((line) => wrappedLine(line, width));
}

function wrappedLine(text: string, columns: number): string[] {
  // Columns and indented lines stay as they are.
  if (columnsOf(text) <= columns) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/[ \u3000]+/).filter((each) => each !== '')) {
    const joined = line === '' ? word : `${line} ${word}`;
    if (columnsOf(joined) <= columns) {
      line = joined;
      continue;
    }
    if (line !== '') lines.push(line);
    const pieces = cutIntoPieces(word, columns);
    lines.push(...pieces.slice(0, -1));
    line = pieces.at(-1) ?? '';
  }
  return [...lines, line];
}

function cutIntoPieces(word: string, columns: number): string[] {
  const pieces: string[] = [];
  let piece = '';
  let taken = 0;
  for (const character of charactersOf(word)) {
    const width = columnsOfCharacter(character);
    if (taken + width > columns && piece !== '') {
      pieces.push(piece);
      piece = '';
      taken = 0;
    }
    piece += character;
    taken += width;
  }
  return [...pieces, piece];
}
