/**
 * What others wrote, made fit for a terminal. Escape sequences could retitle the window, move the cursor or answer for
 * the user; direction marks make text read other than it is; invisible characters hide words from people that a model
 * still reads. All of them are shown by their number. Joiners stay: emoji and several scripts need them.
 */
const HARMFUL = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]/gu;
const JOINERS = /^[\u200c\u200d]$/;

/** Of several lines: line ends stay, a tab is a blank. */
export function harmless(text: string): string {
  return text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll('\t', ' ')
    .replaceAll(HARMFUL, (character) =>
      character === '\n' || JOINERS.test(character) ? character : numbered(character),
    );
}

/** The same on one line. */
export const harmlessLine = (text: string): string => harmless(text).replaceAll(/\s*\n\s*/g, ' ');

/** JSON that means the same: in it, such a character is spelled by its number in the first place. */
export function harmlessJson(json: string): string {
  return json.replaceAll(HARMFUL, (character) =>
    character === '\n' || JOINERS.test(character)
      ? character
      : Array.from({ length: character.length }, (_, at) => escaped(character.charCodeAt(at))).join(''),
  );
}

const escaped = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`;

function numbered(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
}
