/** Length in code points: a character outside the basic plane counts once. */
export function charsOf(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit >= 0xd800 && unit <= 0xdbff) {
      count -= 1;
      at += 1;
    }
  }
  return count;
}

/** Counts only where the cheap answer does not hold. */
export const charsWithin = (text: string, most: number): boolean =>
  text.length <= most || (text.length <= 2 * most && charsOf(text) <= most);

/** As many or more. */
export const charsAtLeast = (text: string, least: number): boolean =>
  text.length >= 2 * least || charsOf(text) >= least;

/** The first `most` code points. */
export function cutChars(text: string, most: number): string {
  if (text.length <= most) return text;
  let at = 0;
  for (let count = 0; count < most && at < text.length; count += 1) {
    const unit = text.charCodeAt(at);
    at += unit >= 0xd800 && unit <= 0xdbff ? 2 : 1;
  }
  return text.slice(0, at);
}

/** Order by code point, which differs from JavaScript's own above the basic plane. */
export function compareChars(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  for (let at = 0; at < shared; at += 1) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

/** Surrogates stand for characters beyond all others. */
const rank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);
