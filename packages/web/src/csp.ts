/** The pages carry their one script and one style inline; the policy names them by hash, so nothing else can run. */

export interface InlineParts {
  readonly scripts: readonly string[];
  readonly styles: readonly string[];
}

export interface PageHashes {
  readonly scriptHash: string | null;
  readonly styleHash: string | null;
}

const HTML_SPACE = /[\t\n\f\r ]/;

/** Contents of the script and style elements as an HTML parser sees them: words inside comments, attribute values,
 *  titles and other raw text do not count as elements. */
export function inlineParts(html: string): InlineParts {
  const scripts: string[] = [];
  const styles: string[] = [];
  let at = 0;
  while ((at = html.indexOf('<', at)) !== -1) {
    if (html.startsWith('<!--', at)) {
      at = commentEnd(html, at);
    } else if (/^<[a-z]/i.test(html.slice(at, at + 2))) {
      const tag = openTag(html, at);
      at = tag.end;
      const isRawText = ['script', 'style', 'title', 'textarea'].includes(tag.name);
      if (!isRawText) continue;
      const text = rawText(html, tag.end, tag.name);
      if (tag.name === 'script') scripts.push(text);
      if (tag.name === 'style') styles.push(text);
      at += text.length;
    } else if (/^<[!/?]/.test(html.slice(at, at + 2))) {
      const end = html.indexOf('>', at);
      at = end === -1 ? html.length : end + 1;
    } else {
      at += 1;
    }
  }
  return { scripts, styles };
}

/** Throws when a parser could end the element elsewhere, or read other characters, than the author meant. */
export function assertInlineSafe(element: 'script' | 'style', content: string): void {
  if (content.toLowerCase().includes(`</${element}`))
    throw new Error(`inline ${element} contains its own end tag`);
  // `<!--` followed by `<script` switches a parser to a state in which `</script>` no longer ends the element.
  if (content.includes('<!--')) throw new Error(`inline ${element} contains an HTML comment opener`);
  // Parsers rewrite carriage returns and NUL before hashing.
  if (content.includes('\r') || content.includes('\0'))
    throw new Error(`inline ${element} contains CR or NUL`);
}

export async function sourceHash(content: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(content));
  return `sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}`;
}

export async function pageHashes(html: string): Promise<PageHashes> {
  const { scripts, styles } = inlineParts(html);
  if (scripts.length > 1 || styles.length > 1) throw new Error('a page has at most one script and one style');
  for (const script of scripts) assertInlineSafe('script', script);
  for (const style of styles) assertInlineSafe('style', style);
  const [script, style] = [scripts[0], styles[0]];
  return {
    scriptHash: script === undefined ? null : await sourceHash(script),
    styleHash: style === undefined ? null : await sourceHash(style),
  };
}

/** What a page may do with this server beyond calling it. The pages of conversations may do neither. */
export interface Allowed {
  /** Send its forms there. */
  readonly forms?: boolean;
  /** Have the icon from there. */
  readonly images?: boolean;
}

export function contentSecurityPolicy(hashes: PageHashes, { forms, images }: Allowed = {}): string {
  return [
    "default-src 'none'",
    `script-src ${sourceOf(hashes.scriptHash)}`,
    `style-src ${sourceOf(hashes.styleHash)}`,
    "connect-src 'self'",
    `img-src ${images ? "'self'" : "'none'"}`,
    "base-uri 'none'",
    `form-action ${forms ? "'self'" : "'none'"}`,
    "frame-ancestors 'none'",
  ].join('; ');
}

function sourceOf(hash: string | null): string {
  return hash === null ? "'none'" : `'${hash}'`;
}

function commentEnd(html: string, at: number): number {
  if (html.startsWith('<!-->', at)) return at + 5;
  if (html.startsWith('<!--->', at)) return at + 6;
  const ends = ['-->', '--!>'].map((mark) => {
    const end = html.indexOf(mark, at + 4);
    return end === -1 ? html.length : end + mark.length;
  });
  return Math.min(...ends);
}

function openTag(html: string, at: number): { name: string; end: number } {
  let end = at + 1;
  while (end < html.length && !/[\t\n\f\r />]/.test(html.charAt(end))) end += 1;
  const name = html.slice(at + 1, end).toLowerCase();
  let quote = '';
  let afterEquals = false;
  for (; end < html.length; end += 1) {
    const char = html.charAt(end);
    if (quote !== '') {
      if (char === quote) quote = '';
      continue;
    }
    if (char === '>') return { name, end: end + 1 };
    // A quote opens a value only right after `=`; elsewhere it is part of a name.
    if (afterEquals && (char === '"' || char === "'")) quote = char;
    if (!HTML_SPACE.test(char)) afterEquals = char === '=';
  }
  return { name, end: html.length };
}

function rawText(html: string, from: number, name: string): string {
  const end = new RegExp(`</${name}(?=[\\t\\n\\f\\r />])`, 'i').exec(html.slice(from));
  return end === null ? html.slice(from) : html.slice(from, from + end.index);
}
