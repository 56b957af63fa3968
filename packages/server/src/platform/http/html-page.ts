import { readFileSync } from 'node:fs';
import type { FastifyReply } from 'fastify';

// The pages are bundled into this folder by the build; the path is the same from src/ and from dist/.
const ASSETS = new URL('../../../dist/assets/', import.meta.url);

export interface HtmlPage {
  readonly html: string;
  readonly csp: string;
}

export type PageName = 'channel-chat' | 'landing' | 'notice' | 'room-viewer';

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
export function filledPage(name: PageName, values: Readonly<Record<string, string>>): HtmlPage {
  const { html, csp } = load(name);
  const text = html.replace(/__([A-Z]+)__/g, (placeholder, key: string) => {
    const value = values[key];
    return value === undefined ? placeholder : escapeHtml(value);
  });
  return { html: text, csp };
}

/** What happened, what was not lost, what to do. */
export const noticePage = (title: string, message: string, next: string): HtmlPage =>
  filledPage('notice', { TITLE: title, MESSAGE: message, NEXT: next });

export function sendPage(reply: FastifyReply, { html, csp }: HtmlPage): FastifyReply {
  return reply.type('text/html; charset=utf-8').header('Content-Security-Policy', csp).send(html);
}

export function escapeHtml(text: string): string {
  const entities: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
