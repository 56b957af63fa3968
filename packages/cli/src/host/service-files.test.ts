import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { Terminal } from '../testing/run-parley.ts';

const linesOf = (text: string, key: string): string[] =>
  text.split('\n').flatMap((line) => (line.startsWith(`${key}=`) ? [line.slice(key.length + 1)] : []));

describe('cli › service files', () => {
  const ann = new Terminal({});
  afterAll(() => ann.remove());

  test('the bridge runs as a service of its user, and its agents outlive its restarts', async () => {
    const { code, stdout } = await ann.run(['bridge', 'service', '--home', '/srv/50% "off" $HOME']);
    expect(code).toBe(0);
    const [start = ''] = linesOf(stdout, 'ExecStart');
    expect(start).toMatch(/^"\/.*node" "\/.*parley\.mjs" "bridge" "run"$/);
    expect(linesOf(stdout, 'Environment')).toEqual([
      `"PATH=${process.env['PATH']}"`,
      '"PARLEY_BRIDGE_HOME=/srv/50%% \\"off\\" $HOME"',
    ]);
    expect(linesOf(stdout, 'RestartPreventExitStatus')).toEqual(['2 4']);
    expect(linesOf(stdout, 'KillMode')).toEqual(['process']);
    expect(stdout).not.toContain('User=');
    // The words of the unit are those of a command that works.
    const [node = '', script = ''] = [...start.matchAll(/"([^"]*)"/g)].map(([, word = '']) => word);
    expect(execFileSync(node, [script, 'bridge', '--help'], { encoding: 'utf8' })).toContain('run');
  });

  test('the server runs in the folder it was asked from, with the flags it was given', async () => {
    const { code, stdout } = await ann.run([
      'serve',
      'service',
      '--port',
      '8080',
      '--public-url',
      'https://a.b/$x%',
    ]);
    expect(code).toBe(0);
    expect(linesOf(stdout, 'WorkingDirectory')).toEqual([ann.home]);
    expect(linesOf(stdout, 'ExecStart')[0]).toMatch(
      / "serve" "--port" "8080" "--public-url" "https:\/\/a\.b\/\$\$x%%"$/,
    );
    expect(linesOf(stdout, 'RestartPreventExitStatus')).toEqual(['2']);
  });

  test('launchd gets a property list with the same words', async () => {
    mkdirSync(join(ann.home, 'a & b'));
    const home = join(ann.home, 'a & b');
    const { stdout } = await ann.run(['bridge', 'service', '--format', 'launchd', '--home', home]);
    const texts = [...stdout.matchAll(/<string>([^<]*)<\/string>/g)].map(([, text = '']) => text);
    expect(texts[0]).toBe('parley.bridge');
    expect(texts.slice(3, 5)).toEqual(['bridge', 'run']);
    expect(texts).toContain(home.replace('&', '&amp;'));
    expect((await ann.run(['serve', 'service', '--format', 'launchd', '--port', '8080'])).stdout).toContain(
      '<string>--port</string>\n    <string>8080</string>',
    );
    expect((await ann.run(['serve', 'service', '--format', 'cron'])).code).toBe(2);
  });
});
