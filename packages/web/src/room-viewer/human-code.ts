/** The code that opens a room for people: from the fragment of a link, which never leaves the browser, or typed in. */
export function codeInFragment(hash: string): string {
  return codeIn(new URLSearchParams(hash.replace(/^#/, '')).get('code') ?? '');
}

/** People paste a code with spaces around it, in quotes, or as a whole link. Empty when there is none. */
export function codeIn(typed: string): string {
  return /hc_[\w-]+/.exec(typed)?.[0] ?? '';
}
