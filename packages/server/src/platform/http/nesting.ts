/** More than any body has reason to have. What walks a value step by step would run out of stack far beyond it. */
export const DEEPEST_BODY = 100;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/** Whether JSON text opens more brackets inside each other than that. Looked at before parsing, in one pass. */
export function isNestedDeeper(text: string, deepest = DEEPEST_BODY): boolean {
  if (text.length <= deepest) return false;
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (quoted) {
      if (unit === BACKSLASH) at += 1;
      else if (unit === QUOTE) quoted = false;
    } else if (unit === QUOTE) quoted = true;
    else if (OPENING.has(unit)) {
      depth += 1;
      if (depth > deepest) return true;
    } else if (CLOSING.has(unit)) depth -= 1;
  }
  return false;
}
