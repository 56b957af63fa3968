import { readFileSync } from 'node:fs';
import type { FastifyReply } from 'fastify';
import { packageFile } from '../platform/package-folder.ts';

// The build puts the pages there.
const ASSETS = packageFile('dist/assets/');

export interface HtmlPage {
  readonly html: string;
  readonly csp: string;
}

export type PageName =
  | 'channel-chat'
  | 'guide'
  | 'landing'
  | 'login'
  | 'notice'
  | 'reference'
  | 'room-viewer';

const loaded = new Map<PageName, HtmlPage>();

function load(name: PageName): HtmlPage {
  const known = loaded.get(name);
  if (known) return known;
  const html = readFileSync(new URL(`${name}.html`, ASSETS), 'utf8');
  const { csp } = JSON.parse(readFileSync(new URL(`${name}.json`, ASSETS), 'utf8')) as { csp: string };
  loaded.set(name, { html, csp });
  return { html, csp };
}

/** Made by us, with what others wrote already escaped. */
export interface Markup {
  readonly markup: string;
}

/** A page with its placeholders filled. The policy's hashes hold for all: placeholders are outside of script and style. */
export function filledPage(name: PageName, values: Readonly<Record<string, string | Markup>>): HtmlPage {
  const { html, csp } = load(name);
  const text = html.replace(/__([A-Z]+)__/g, (placeholder, key: string) => {
    const value = values[key];
    if (value === undefined) return placeholder;
    return typeof value === 'string' ? escapeHtml(value) : value.markup;
  });
  return { html: text, csp };
}

/** What happened, what was not lost, what to do. */
export const noticePage = (title: string, message: string, next: string): HtmlPage =>
  filledPage('notice', { TITLE: title, MESSAGE: message, NEXT: next });

/** Of what people get as a page and programs as text. */
export const PAGE_OR_TEXT = {
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  Vary: 'User-Agent, Accept',
};

export function sendPage(reply: FastifyReply, { html, csp }: HtmlPage): FastifyReply {
  return reply.type('text/html; charset=utf-8').header('Content-Security-Policy', csp).send(html);
}

/** One page of the guide, made from `docs/` by the build. */
export interface GuidePage {
  readonly name: string;
  readonly title: string;
  readonly markup: string;
  /** The Markdown it was made from. */
  readonly source: string;
}

let guide: readonly GuidePage[] | undefined;

/** In reading order. */
export function guidePages(): readonly GuidePage[] {
  guide ??= JSON.parse(readFileSync(new URL('guide-pages.json', ASSETS), 'utf8')) as GuidePage[];
  return guide;
}

/** Browsers ask for it by themselves. */
export function sendIcon(reply: FastifyReply): FastifyReply {
  icon ??= readFileSync(new URL('favicon.svg', ASSETS));
  return reply.type('image/svg+xml').header('Cache-Control', 'public, max-age=86400').send(icon);
}

let icon: Buffer | undefined;

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
