import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

type Theme = Record<string, string>;

const css = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8');
const [light = '', dark = ''] = css.split('@media (prefers-color-scheme: dark)');
const voices = Array.from({ length: 8 }, (_, number) => `voice-${number}`);

function colours(block: string): Theme {
  return Object.fromEntries(
    [...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, value]) => [name, value]),
  );
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

/** Every pair of text and ground that the pages use. */
const pairs = [
  ...['ink', 'ink-soft', 'accent', 'danger', ...voices].flatMap((text) => [
    [text, 'ground'],
    [text, 'surface'],
  ]),
  ['ink', 'accent-soft'],
  ['accent', 'accent-soft'],
  ['danger', 'accent-soft'],
  ['surface', 'accent'],
  ['warn', 'warn-soft'],
  ['danger', 'danger-soft'],
];

describe.each([
  ['light', colours(light)],
  ['dark', colours(dark)],
])('tokens › %s', (_, theme) => {
  test.each(pairs)('%s on %s can be read', (text = '', ground = '') => {
    expect(contrast(theme[text] ?? '', theme[ground] ?? '')).toBeGreaterThanOrEqual(4.5);
  });
});

test('tokens › both themes name the same colours', () => {
  expect(Object.keys(colours(dark))).toEqual(Object.keys(colours(light)));
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21);
});
