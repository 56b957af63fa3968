import { readFileSync } from 'node:fs';

// The pages are bundled into this folder by the build; the path is the same from src/ and from dist/.
const ASSETS = new URL('../../dist/assets/', import.meta.url);

export interface HtmlPage {
  readonly html: string;
  readonly csp: string;
}

type PageName = 'channel-chat' | 'landing' | 'notice';

const loaded = new Map<PageName, HtmlPage>();

function load(name: PageName): HtmlPage {
  const known = loaded.get(name);
  if (known) return known;
  const html = readFileSync(new URL(`${name}.html`, ASSETS), 'utf8');
  const { csp } = JSON.parse(readFileSync(new URL(`${name}.json`, ASSETS), 'utf8')) as { csp: string };
  loaded.set(name, { html, csp });
  return { html, csp };
}

/** A page with its placeholders filled. The policy's hashes hold for all: placeholders are outside of script and style. */
function filled(name: PageName, values: Readonly<Record<string, string>>): HtmlPage {
  const { html, csp } = load(name);
  const text = html.replace(/__([A-Z]+)__/g, (placeholder, key: string) => {
    const value = values[key];
    return value === undefined ? placeholder : escapeHtml(value);
  });
  return { html: text, csp };
}

export const chatPage = (channel: string, token: string): HtmlPage =>
  filled('channel-chat', { CHANNEL: channel, TOKEN: token });

export const landingPage = (base: string): HtmlPage => filled('landing', { BASE: base });

export const noticePage = (title: string, message: string, next: string): HtmlPage =>
  filled('notice', { TITLE: title, MESSAGE: message, NEXT: next });

function escapeHtml(text: string): string {
  const entities: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
