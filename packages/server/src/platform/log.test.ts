import { SECRET_PREFIXES } from '@parley/protocol/secret-prefixes';
import { describe, expect, test } from 'vitest';
import { createLog, errorFields, loggablePath } from './log.ts';

function captured(pretty = false): { lines: string[]; log: ReturnType<typeof createLog> } {
  const lines: string[] = [];
  return {
    lines,
    log: createLog({
      level: 'info',
      pretty,
      secretPrefixes: SECRET_PREFIXES,
      stream: { write: (line) => void lines.push(line) },
    }),
  };
}

describe('log', () => {
  test('writes one JSON line per event with level, time and name', () => {
    const { lines, log } = captured();
    log.info('send', { channel: 'abc', bytes: 12 });
    expect(lines).toHaveLength(1);
    expect(lines[0]?.endsWith('\n')).toBe(true);
    const line = JSON.parse(lines[0] ?? '');
    expect(line).toMatchObject({ level: 'info', event: 'send', channel: 'abc', bytes: 12 });
    expect(Date.parse(line.ts)).toBeGreaterThan(0);
  });

  test('tells a terminal of no health check that went well, and a file of all of them', () => {
    for (const [pretty, count] of [
      [true, 2],
      [false, 5],
    ] as const) {
      const { log, lines } = captured(pretty);
      for (const path of ['/health', '/healthz', '/metrics']) log.info('http', { path, status: 200 });
      log.info('http', { path: '/ready', status: 503 });
      log.info('http', { path: '/llms.txt', status: 200 });
      expect(lines).toHaveLength(count);
    }
  });

  test('leaves out what is below its level', () => {
    const { lines, log } = captured();
    log.debug('noise');
    expect(lines).toEqual([]);
  });

  test.each([
    ['a secret field', { token: 'sesame' }],
    ['a secret field in any case', { Authorization: 'sesame' }],
    ['a secret field deep inside', { request: { headers: [{ cookie: 'sesame' }] } }],
    ['a token in a query', { url: '/channels/x/poll?since=1&token=sesame' }],
    ['a key in a fragment', { message: 'opened https://p.example/c/1#k=sesame' }],
    ['a bearer credential in a message', { error: 'refused Bearer sesame' }],
    ['a password in a URL', { error: 'cannot reach postgres://parley:sesame@db/parley' }],
    ['an error about one', errorFields(new Error('GET /c/1?token=sesame failed'))],
  ])('never shows %s', (_case, fields) => {
    const { lines, log } = captured();
    log.info('event', fields);
    expect(lines[0]).not.toContain('sesame');
    expect(lines[0]).toContain('[redacted]');
  });

  test("does not touch the caller's object", () => {
    const fields = { nested: { token: 'sesame' } };
    captured().log.info('event', fields);
    expect(fields.nested.token).toBe('sesame');
  });

  test('cuts query and fragment off a path', () => {
    expect(loggablePath('/c/1?token=x')).toBe('/c/1');
    expect(loggablePath('/c/1#k=x')).toBe('/c/1');
    expect(loggablePath('/c/1%3Ftoken=x%23k=y')).toBe('/c/1');
    expect(loggablePath('/c/1%23k=y')).toBe('/c/1');
    expect(loggablePath('/health')).toBe('/health');
  });

  test('is readable on a terminal and lets no value move the cursor', () => {
    const { lines, log } = captured(true);
    log.warn('join', { name: 'a\u001b[2Jb', channel: 'abc' });
    expect(lines[0]).toContain('channel=abc');
    expect(lines[0]).not.toContain('\u001b[2J');
  });
});
