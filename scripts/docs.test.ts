import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const written = [
  'README.md',
  'CHANGELOG.md',
  ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`),
];

describe('docs', () => {
  it('are generated from what the server runs on', () => {
    const { stdout, stderr } = spawnSync(process.execPath, ['scripts/docs.mjs', '--check'], {
      cwd: root,
      encoding: 'utf8',
    });
    expect(stdout + stderr, 'run `npm run docs`').toBe('docs are up to date\n');
  });

  it.each(written)('%s links to files and headings that exist', (page) => {
    const text = readFileSync(join(root, page), 'utf8');
    for (const [, target = ''] of text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
      const [path = '', heading] = target.split('#');
      const file = path === '' ? join(root, page) : join(root, dirname(page), path);
      expect(existsSync(file), `${page} → ${target}`).toBe(true);
      if (heading) expect(headings(readFileSync(file, 'utf8')), `${page} → ${target}`).toContain(heading);
    }
  });

  it.each(written)('%s speaks calmly', (page) => {
    const prose = readFileSync(join(root, page), 'utf8')
      .replaceAll(/^```[\s\S]*?^```$/gm, '')
      .replaceAll(/<!--|`[^`]*`/g, '');
    expect(prose).not.toContain('!');
  });
});

function headings(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  );
}
