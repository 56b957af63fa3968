import { describe, expect, test } from 'vitest';
import { filesFor, NotJsonError } from './files.ts';

const PLACES = {
  home: '/home/ann',
  folder: '/srv/tides',
  program: ['/opt/it’s node', '/opt/parley.mjs'],
  identity: ['--server', 'http://127.0.0.1:7330'],
} as const;

const [config, hooks, notes] = filesFor('claude-code', PLACES);
const [toml] = filesFor('codex', PLACES);
if (!config || !hooks || !notes || !toml) throw new Error('a client has no files');

describe('files of a client', () => {
  test('the entry stands beside what others have, and is one', () => {
    const theirs = { theirs: 1, mcpServers: { other: { command: 'x' } } };
    const once = config.with(JSON.stringify(theirs));
    const ours = {
      type: 'stdio',
      command: PLACES.program[0],
      args: [PLACES.program[1], 'mcp', ...PLACES.identity],
    };
    expect(JSON.parse(once)).toEqual({ theirs: 1, mcpServers: { other: { command: 'x' }, parley: ours } });
    expect(config.with(once)).toBe(once);
    expect(JSON.parse(config.without(once))).toEqual(theirs);
    expect(JSON.parse(config.with(undefined))).toEqual({ mcpServers: { parley: ours } });
    expect(config.without(config.with(' \n'))).toBe('');
    expect(config.without('{"mcpServers":7}')).toBe('');
  });

  test.each(['[]', 'null', '{', '// theirs\n{}'])('%j is no file to change', (text) => {
    for (const file of [config, hooks]) {
      expect(() => file.with(text)).toThrow(NotJsonError);
      expect(() => file.without(text)).toThrow(NotJsonError);
    }
  });

  test('the hooks of others stay, before ours and after us', () => {
    const theirs = { hooks: [{ type: 'command', command: 'make check' }] };
    const settings = { model: 'best', hooks: { Stop: [theirs], Notification: [theirs], Odd: 'a text' } };
    const once = hooks.with(JSON.stringify(settings));
    const made = JSON.parse(once) as { model: string; hooks: Record<string, unknown[]> };
    expect(Object.keys(made.hooks).toSorted()).toEqual([
      'Notification',
      'Odd',
      'PreCompact',
      'SessionStart',
      'Stop',
      'UserPromptSubmit',
    ]);
    const command =
      "'/opt/it’s node' /opt/parley.mjs hook post-prompt --for claude-code --server http://127.0.0.1:7330";
    expect(made.hooks['Stop']).toEqual([theirs, { hooks: [{ type: 'command', command }] }]);
    expect(made).toMatchObject({ model: 'best', hooks: { Notification: [theirs], Odd: 'a text' } });
    expect(hooks.with(once)).toBe(once);
    expect(JSON.parse(hooks.without(once))).toEqual(settings);
    expect(JSON.parse(hooks.without(hooks.with('{"model":"best"}')))).toEqual({ model: 'best' });
    expect(hooks.without(hooks.with('{"hooks":[]}'))).toBe('');
    const [, apostrophe] = filesFor('claude-code', { ...PLACES, program: ["/it's", 'a'] });
    expect(apostrophe?.with('{}')).toContain(String.raw`'/it'\\''s' a hook startup`);
  });

  test.each([
    ['Markdown', notes, '<!-- >>> parley -->', '<!-- <<< parley -->'],
    ['TOML', toml, '# >>> parley', '# <<< parley'],
  ])('lines in %s stand between two marks, whatever is around them', (_, file, begin, end) => {
    const alone = file.with(undefined);
    expect(alone.startsWith(`${begin}\n`)).toBe(true);
    expect(alone.endsWith(`\n${end}\n`)).toBe(true);
    expect([file.with(''), file.with(alone), file.without(alone)]).toEqual([alone, alone, '']);
    expect(file.with('theirs\n')).toBe(`theirs\n\n${alone}`);
    expect(file.without(`theirs\n\n${alone}`)).toBe('theirs\n');
    expect(file.without(`before\n\n${alone}\nafter\n`)).toBe('before\nafter\n');
    expect(file.with(`before\n\n${alone}\nafter\n`)).toBe(`before\nafter\n\n${alone}`);
    for (const text of ['theirs\n', `${begin}\ntheirs\n`, `${end}\n${begin}\ntheirs\n`]) {
      expect(file.without(text)).toBe(text);
    }
  });

  test('TOML names the program and its words', () => {
    expect(toml.with('')).toContain(
      '[mcp_servers.parley]\ncommand = "/opt/it’s node"\nargs = ["/opt/parley.mjs","mcp","--server","http://127.0.0.1:7330"]\n',
    );
  });
});
