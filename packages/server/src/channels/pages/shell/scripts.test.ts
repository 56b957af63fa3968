import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { startServer, type TestServer } from '../../../testing/start-server.ts';
import {
  helpersScript,
  initiatorBootstrap,
  joinerBootstrap,
  loopScript,
  skillInstaller,
  UnsafeScriptValueError,
} from './scripts.ts';
import { ShellDesk } from './testing/shell-desk.ts';
import { findShells } from './testing/shells.ts';

const base = 'https://parley.example:7330';
const scripts = {
  'bootstrap.sh': initiatorBootstrap({ base }),
  'c/…/bootstrap.sh': joinerBootstrap({ base, channelId: 'ab'.repeat(16), token: 'cd'.repeat(24) }),
  'loop.sh': loopScript({ base }),
  'helpers.sh': helpersScript({ base }),
  'skill.sh': skillInstaller({ base }),
};
const shells = findShells();
const shellcheck = inject('shellcheck');

describe.each(Object.entries(scripts))('channel shell › text of %s', (_name, text) => {
  test.each(shells)('is valid in $name', ({ command: [program] }) => {
    const { stderr, status } = spawnSync(program, ['-n'], { input: text, encoding: 'utf8' });
    expect([stderr, status]).toEqual(['', 0]);
  });

  test('has no unfilled place, no carriage return, and ends with a line end', () => {
    expect(text.replace(/^"use strict".*$/m, '')).not.toMatch(/\{\{[A-Z_]+\}\}/);
    expect(text).not.toContain('\r');
    expect(text.endsWith('\n')).toBe(true);
  });

  test('never echoes and never splits a variable into words', () => {
    const shellText = text.replaceAll(/<<'AGENTALK_PROGRAM'[\s\S]*?\nAGENTALK_PROGRAM\n/g, '');
    expect(shellText).not.toMatch(/\becho\b/);
    expect(shellText).not.toMatch(/\bfor \w+ in \$/);
  });

  test('passes shellcheck', (context) => {
    if ('missing' in shellcheck) {
      context.skip(shellcheck.missing);
      return;
    }
    const check = spawnSync(
      shellcheck.program,
      ['-s', 'bash', '-S', 'warning', '-e', 'SC2034,SC1090,SC3043', '-'],
      {
        input: text,
        encoding: 'utf8',
      },
    );
    expect(check.stdout).toBe('');
  });
});

describe('channel shell › values in scripts', () => {
  test.each(["https://x'; id; '", 'https://x y', 'ftp://x', 'https://x/$(id)', 'https://x\n', ''])(
    'refuses the base %j',
    (bad) => {
      expect(() => initiatorBootstrap({ base: bad })).toThrow(UnsafeScriptValueError);
      expect(() => loopScript({ base: bad })).toThrow(UnsafeScriptValueError);
      expect(() => skillInstaller({ base: bad })).toThrow(UnsafeScriptValueError);
    },
  );

  test('refuses an id or token that is not hex', () => {
    expect(() => joinerBootstrap({ base, channelId: "x'", token: '00' })).toThrow(UnsafeScriptValueError);
    expect(() => joinerBootstrap({ base, channelId: '00', token: '' })).toThrow(UnsafeScriptValueError);
  });

  test.each([
    'http://127.0.0.1:7330',
    'http://[::1]:7330',
    'https://parley.example',
    'https://example.org/parley',
  ])('takes the base %s', (good) => {
    expect(initiatorBootstrap({ base: good })).toContain(`BRIDGE_URL='${good}'`);
  });
});

describe.each(shells)('channel shell › helpers in $name', (shell) => {
  test('define functions and do nothing else', async () => {
    const desk = new ShellDesk(shell);
    try {
      writeFileSync(join(desk.directory, 'helpers.sh'), scripts['helpers.sh']);
      const names = [
        'say',
        'dm',
        'say_file',
        'dm_file',
        'send',
        'decrypt',
        'rejoin',
        'persist_identity',
        'leave',
      ];
      const defined = names.map(
        (name) => `typeset -f agentalk_${name} >/dev/null || printf '%s ' 'no ${name}'`,
      );
      const result = await desk.run(`. ./helpers.sh\n${defined.join('\n')}\n`);
      expect([result.code, result.stdout, result.stderr]).toEqual([0, '', '']);
    } finally {
      await desk.close();
    }
  });
});

describe('channel shell › skill installer', () => {
  let server: TestServer;
  let home: string;
  beforeAll(async () => {
    server = await startServer();
    home = mkdtempSync(join(tmpdir(), 'parley-home-'));
  });
  afterAll(async () => {
    await server.close();
    rmSync(home, { recursive: true, force: true });
  });
  const skill = () => join(home, '.claude/skills/agentalk/SKILL.md');

  async function install(from: string): Promise<{ status: number | null; stderr: string }> {
    const desk = new ShellDesk({ name: 'sh', command: ['sh'] });
    try {
      const { code, stderr } = await desk.run(`curl -fsS '${from}/skill.sh' | sh\n`, { HOME: home });
      return { status: code, stderr };
    } finally {
      await desk.close();
    }
  }

  test('puts the skill where it is looked for', async () => {
    expect(await install(server.url)).toEqual({ status: 0, stderr: '' });
    expect(readFileSync(skill(), 'utf8')).toBe(await (await fetch(`${server.url}/agentalk/skill.md`)).text());
  });

  test('keeps the old skill when the new one is empty or cannot be fetched', async () => {
    const before = readFileSync(skill(), 'utf8');
    let status = 200;
    const broken = createServer((request, response) => {
      const at = `http://${request.headers.host}`;
      response.statusCode = request.url === '/skill.sh' ? 200 : status;
      response.end(request.url === '/skill.sh' ? skillInstaller({ base: at }) : '');
    });
    await new Promise<void>((resolve) => void broken.listen(0, '127.0.0.1', resolve));
    try {
      const url = `http://127.0.0.1:${(broken.address() as AddressInfo).port}`;
      expect(await install(url)).toEqual({
        status: 1,
        stderr: expect.stringContaining('is empty; nothing was installed'),
      });
      status = 500;
      expect(await install(url)).toEqual({
        status: 1,
        stderr: expect.stringContaining('nothing was installed'),
      });
    } finally {
      await new Promise((resolve) => broken.close(resolve));
    }
    expect(readFileSync(skill(), 'utf8')).toBe(before);
  });
});
