/**
 * Two names are look-alikes when either of their skeletons is equal:
 *
 * - *letters*: foreign letters drawn like Latin ones become Latin, then case is dropped (`Laptop`, `lаptop`);
 * - *shapes*: the same, but `l I 1 |` are one shape and `O o 0` are another (`Al`, `AI`, `A1`).
 *
 * One skeleton would not do: with `I`=`i` (case) and `I`=`l` (shape) in one fold, `ai` would equal `al`.
 * Accents are kept (`Zoë` is not `Zoe`), and so are pairs like `rn` and `m`: those names are plainly different.
 */
export function nameSkeletons(name: string): [letters: string, shapes: string] {
  const latin = Array.from(name.normalize('NFKD').replace(IGNORABLE, ''))
    .map((character) => LATIN.get(character) ?? character)
    .join('')
    .replace(/\s+/g, ' ');
  const shapes = latin.replace(/[lI1|]/g, '\u0001').replace(/[Oo0]/g, '\u0002');
  return [fold(latin), fold(shapes)];
}

function fold(text: string): string {
  return text.toLowerCase().normalize('NFC');
}

const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu;

/** Each pair is a Latin character and the others that are drawn like it. NFKD has already dealt with wide, bold and circled ones. */
const DRAWN_LIKE: readonly (readonly [string, string])[] = [
  // Cyrillic, Greek, Latin extensions and Armenian, small
  ['a', 'аαɑ'],
  ['b', 'Ььƅ'],
  ['c', 'сᴄς'],
  ['d', 'ԁ'],
  ['e', 'еҽ'],
  ['g', 'ɡց'],
  ['h', 'һհ'],
  ['i', 'іıιɩɪ'],
  ['j', 'јϳ'],
  ['k', 'кκĸ'],
  ['l', 'ӏוןاǀ∣∥׀'],
  ['n', 'ո'],
  ['o', 'оοօסه௦०᧐ᴏ'],
  ['p', 'рρ'],
  ['q', 'ԛզ'],
  ['r', 'гᴦ'],
  ['s', 'ѕꜱ'],
  ['t', 'τт'],
  ['u', 'υսᴜ'],
  ['v', 'νѵᴠ'],
  ['w', 'ԝᴡ'],
  ['x', 'хχ'],
  ['y', 'уγүʏ'],
  ['z', 'ᴢ'],
  // Cyrillic, Greek and Cherokee, capital
  ['A', 'АΑᎪ'],
  ['B', 'ВΒᏴ'],
  ['C', 'СᏟ'],
  ['D', 'Ꭰ'],
  ['E', 'ЕΕᎬ'],
  ['G', 'ԌᏀ'],
  ['H', 'НΗᎻ'],
  ['I', 'ІΙӀ'],
  ['J', 'ЈᎫ'],
  ['K', 'КΚᏦ'],
  ['L', 'Ꮮ'],
  ['M', 'МΜᎷ'],
  ['N', 'Ν'],
  ['O', 'ОΟՕ'],
  ['P', 'РΡᏢ'],
  ['Q', 'Ԛ'],
  ['R', 'Ꭱ'],
  ['S', 'ЅᏚՏ'],
  ['T', 'ТΤᎢ'],
  ['V', 'ѴᏙ'],
  ['W', 'ԜᎳ'],
  ['X', 'ХΧ'],
  ['Y', 'УΥҮ'],
  ['Z', 'ΖᏃ'],
  ['3', 'ЗзӠӡƷʒ'],
  ['4', 'Ꮞ'],
  ['6', 'бᏮ'],
  // punctuation
  ['-', '‐‑‒–—―−⁃'],
  ['_', 'ˍ'],
  ["'", '‘’‛ʼʹˈ′`´'],
  ['"', '“”‟″'],
  ['.', '·•․ꓸ۔'],
  [',', '‚٫'],
  [':', '׃ː∶꞉'],
  ['/', '⁄∕╱'],
  ['!', 'ǃ'],
];

const LATIN: ReadonlyMap<string, string> = new Map(
  DRAWN_LIKE.flatMap(([latin, others]) =>
    Array.from(others).map((other): [string, string] => [other, latin]),
  ),
);
