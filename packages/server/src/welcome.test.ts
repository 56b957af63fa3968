import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { initiatorPage } from './channels/pages/prose/pages.ts';
import { landingPage } from './channels/pages/page-routes.ts';
import { firstWords, welcome } from './welcome.ts';

const url = 'http://127.0.0.1:7330';
const file = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

describe('the quickest start', () => {
  test.each([
    ['the start banner', welcome(url)],
    ['README', file('README.md')],
    ['the first guide', file('docs/getting-started.md')],
    ['the landing page', landingPage(url).html],
  ])('is one sentence for the first agent in %s, and never the same page for both', (_place, text) => {
    expect(text).toContain(firstWords(url));
    expect(text).not.toMatch(/tell (?:two agents|each of them)/);
  });

  test('leads an agent that has a link away from opening a second channel', () => {
    const page = initiatorPage({ base: url });
    const fork = page.slice(0, page.indexOf('You are the initiator'));
    expect(fork).toMatch(
      /You have a link[\s\S]*Do not open another[\s\S]*You have no link[\s\S]*create the channel/,
    );
    expect(page.indexOf('```sh')).toBeGreaterThan(fork.length);
  });
});
