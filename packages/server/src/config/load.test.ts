import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ConfigError, type ConfigSources, loadConfig } from './load.ts';
import { SETTINGS, type SettingName } from './settings.ts';

describe('configuration', () => {
  let cwd: string;
  beforeEach(() => {
    cwd = mkdtempSync(join(tmpdir(), 'parley-config-'));
  });
  afterEach(() => rmSync(cwd, { recursive: true, force: true }));

  const load = (sources: Omit<ConfigSources, 'cwd'> = {}) => loadConfig({ cwd, ...sources });
  const file = (content: unknown, name = 'parley.json'): void =>
    writeFileSync(join(cwd, name), typeof content === 'string' ? content : JSON.stringify(content));
  const refusal = (sources: Omit<ConfigSources, 'cwd'>): string => {
    try {
      load(sources);
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError);
      return (error as Error).message;
    }
    throw new Error('was accepted');
  };

  test('has a default for every setting', () => {
    const { config, origins } = load();
    expect(config).toMatchObject({
      host: '127.0.0.1',
      port: 7330,
      dataDir: './parley-data',
      publicUrl: undefined,
      trustedProxies: [],
      rateLimits: true,
      rlChannelsPerHour: 10,
      rlConcurrentChannelsPerIp: 10,
      rlJoinsPerHour: 120,
      rlMessagesPerHour: 1000,
      chMaxParticipants: 20,
      chMaxMessages: 10_000,
      chMaxBytes: 32 * 1024 * 1024,
      chGlobalMaxBytes: 512 * 1024 * 1024,
      chIdleTimeoutMs: 1_800_000,
      chMaxLifetimeMs: 129_600_000,
      chSweepIntervalMs: 60_000,
      chPollTimeoutMs: 50_000,
      chHibernateMaxMs: 0,
      chEvictNoticeMs: 0,
    });
    expect(new Set(Object.values(origins))).toEqual(new Set(['default']));
    expect(Object.keys(config)).toEqual(Object.keys(SETTINGS));
  });

  test('a clamped number is brought between its bounds, and what is none is not given', () => {
    const { config } = load({
      env: {
        COGNIRELAY_SCHEDULE_DUE_LIMIT: '500',
        COGNIRELAY_SCHEDULE_UPCOMING_LIMIT: '-3',
        COGNIRELAY_SCHEDULE_UPCOMING_WINDOW_HOURS: 'long',
      },
    });
    expect([
      config.scheduleDueLimit,
      config.scheduleUpcomingLimit,
      config.scheduleUpcomingWindowHours,
    ]).toEqual([100, 0, 72]);
    expect(load({ env: { PARLEY_SCHEDULE_DUE_LIMIT: '0' } }).config.scheduleDueLimit).toBe(1);
    const both = {
      PARLEY_SCHEDULE_UPCOMING_WINDOW_HOURS: '24',
      COGNIRELAY_SCHEDULE_UPCOMING_WINDOW_HOURS: '48',
    };
    expect(load({ env: both }).config.scheduleUpcomingWindowHours).toBe(24);
    expect(load({ flags: { 'schedule-upcoming-limit': '7' } }).config.scheduleUpcomingLimit).toBe(7);
  });

  describe('precedence', () => {
    const flags = { port: '1' };
    const env = { PARLEY_PORT: '2', PORT: '3' };

    test('is flag, PARLEY_ variable, older name, file, default', () => {
      file({ port: 4 });
      expect(load({ flags, env })).toMatchObject({ config: { port: 1 }, origins: { port: 'flag' } });
      expect(load({ env })).toMatchObject({ config: { port: 2 }, origins: { port: 'environment' } });
      expect(load({ env: { PORT: '3' } })).toMatchObject({
        config: { port: 3 },
        origins: { port: 'environment' },
      });
      expect(load()).toMatchObject({ config: { port: 4 }, origins: { port: 'file' } });
    });

    test('passes over empty variables', () => {
      file({ port: 4 });
      expect(load({ env: { PARLEY_PORT: '', PORT: '' } }).config.port).toBe(4);
      expect(load({ env: { PARLEY_PORT: '', PORT: '3' } }).config.port).toBe(3);
    });
  });

  test.each<[string, SettingName]>([
    ['PORT', 'port'],
    ['RL_CHANNELS_PER_HOUR', 'rlChannelsPerHour'],
    ['RL_CONCURRENT_CHANNELS_PER_IP', 'rlConcurrentChannelsPerIp'],
    ['RL_JOINS_PER_HOUR', 'rlJoinsPerHour'],
    ['RL_MESSAGES_PER_HOUR', 'rlMessagesPerHour'],
    ['CH_MAX_PARTICIPANTS', 'chMaxParticipants'],
    ['CH_MAX_MESSAGES', 'chMaxMessages'],
    ['CH_MAX_BYTES', 'chMaxBytes'],
    ['CH_IDLE_TIMEOUT_MS', 'chIdleTimeoutMs'],
    ['CH_MAX_LIFETIME_MS', 'chMaxLifetimeMs'],
    ['CH_SWEEP_INTERVAL_MS', 'chSweepIntervalMs'],
    ['CH_POLL_TIMEOUT_MS', 'chPollTimeoutMs'],
    ['CH_HIBERNATE_MAX_MS', 'chHibernateMaxMs'],
    ['CH_EVICT_NOTICE_MS', 'chEvictNoticeMs'],
  ])('%s is read as it is and with the prefix', (variable, name) => {
    expect(load({ env: { [variable]: '1234' } }).config[name]).toBe(1234);
    expect(load({ env: { [`PARLEY_${variable}`]: '1234' } }).config[name]).toBe(1234);
    expect(refusal({ env: { [variable]: 'many' } })).toContain(variable);
  });

  test('HOST is read as it is', () => {
    expect(load({ env: { HOST: '0.0.0.0' } }).config.host).toBe('0.0.0.0');
  });

  test('reads every setting by flag, variable and file key', () => {
    for (const name of Object.keys(SETTINGS) as SettingName[]) {
      const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      expect(() => load({ flags: { [snake.replaceAll('_', '-')]: undefined } })).not.toThrow();
      expect(() => load({ env: { [`PARLEY_${snake.toUpperCase()}`]: '' } })).not.toThrow();
    }
  });

  describe('unknown names are refused with the likely one', () => {
    test.each([
      ['prot', '--prot', '--port'],
      ['ch-idle-timeout', '--ch-idle-timeout', '--ch-idle-timeout-ms'],
      ['rate-limit', '--rate-limit', '--rate-limits'],
    ])('flag --%s', (flag, given, meant) => {
      expect(refusal({ flags: { [flag]: '1' } })).toBe(`unknown flag ${given}; did you mean ${meant}?`);
    });

    test.each([
      ['PARLEY_PROT', 'PARLEY_PORT'],
      ['PARLEY_CH_IDLE_TIMEOUT', 'PARLEY_CH_IDLE_TIMEOUT_MS'],
    ])('variable %s', (variable, meant) => {
      expect(refusal({ env: { [variable]: '1' } })).toBe(
        `unknown variable ${variable}; did you mean ${meant}?`,
      );
    });

    test('key of the file', () => {
      file({ ch_max_mesages: 5 });
      expect(refusal({})).toBe(
        'unknown key in the configuration file ch_max_mesages; did you mean ch_max_messages?',
      );
    });

    test('without a guess when nothing is near', () => {
      expect(refusal({ flags: { 'entirely-different-thing': '1' } })).toBe(
        'unknown flag --entirely-different-thing',
      );
    });

    test('also when named like a built-in', () => {
      expect(refusal({ flags: { constructor: '1' } })).toContain('unknown flag --constructor');
      file('{"__proto__": {"port": 1}}');
      expect(refusal({})).toContain('__proto__');
    });

    test('but other programs’ variables are left alone', () => {
      const env = { PATH: '/bin', PORTER: '1', CH_OTHER: 'x', PARLEY_URL: 'http://x' };
      expect(() => load({ env })).not.toThrow();
    });
  });

  describe('values', () => {
    const bad: [string, Record<string, unknown>, string][] = [
      [
        'a port that is a word',
        { port: 'http' },
        '--port: expected a whole number from 0 to 65535, not "http"',
      ],
      ['a port out of range', { port: '65536' }, '--port'],
      ['a negative number', { port: '-1' }, '--port'],
      ['a fraction', { 'ch-max-bytes': '1.5' }, '--ch-max-bytes: expected a whole number of at least 1'],
      ['a number below the least', { 'ch-max-participants': '0' }, '--ch-max-participants'],
      ['a number too big to count with', { 'ch-max-bytes': '9'.repeat(30) }, '--ch-max-bytes'],
      ['an exponent', { 'ch-max-bytes': '1e3' }, '--ch-max-bytes'],
      ['neither on nor off', { 'rate-limits': 'maybe' }, '--rate-limits: expected on or off, not "maybe"'],
      ['none of the choices', { 'log-level': 'loud' }, '--log-level: expected one of trace, debug, info'],
      ['a flag without its value', { host: true }, '--host: expected text, not true'],
      ['an empty host', { host: '' }, '--host: expected text, not ""'],
      ['an empty folder', { 'data-dir': ' ' }, '--data-dir: expected text, not " "'],
      [
        'a public URL that is none',
        { 'public-url': 'parley.example' },
        'public_url: "parley.example" is not',
      ],
      ['a proxy that is a name', { 'trusted-proxies': '10.0.0.1,proxy' }, 'trusted_proxies: "proxy" is not'],
      ['an exemption that is none', { 'callback-allow': 'a b' }, 'callback_allow'],
      ['a short secret key', { 'secret-key': 'abc' }, 'a secret key is 32 bytes'],
      ['a plan that is none', { 'plan-active-cues': 'gold=1' }, '--plan-active-cues: expected NAME=NUMBER'],
      ['a plan without a number', { 'plan-active-cues': 'free' }, 'one of self_hosted, free, pro, scale'],
      ['a plan with less than nothing', { 'plan-active-cues': 'free=-1' }, '--plan-active-cues'],
      [
        'the requests of the plan with a setting of its own',
        { 'plan-requests-per-minute': 'self_hosted=1' },
        '--plan',
      ],
      ['another database', { 'database-url': 'mysql://h/d' }, 'database_url: expected postgres://'],
      [
        'another way to the database',
        { 'database-direct-url': 'h/d' },
        'database_direct_url: expected postgres://',
      ],
      ['a Redis without a master', { 'redis-url': 'redis+sentinel://h' }, 'redis_url names no master'],
    ];
    test.each(bad)('refuses %s', (_label, flags, message) => {
      expect(refusal({ flags })).toContain(message);
    });

    test.each([
      ['on', true],
      ['true', true],
      ['1', true],
      ['off', false],
      ['false', false],
      ['0', false],
    ])('reads %s as %s', (given, value) => {
      expect(load({ env: { PARLEY_RATE_LIMITS: given } }).config.rateLimits).toBe(value);
    });

    test('reads numbers by name, and keeps the default of those that are not named', () => {
      const read = (planActiveCues: unknown) => {
        file({ plan_active_cues: planActiveCues });
        return load().config.planActiveCues;
      };
      const expected = { self_hosted: 0, free: 25, pro: 1000, scale: 500 };
      for (const given of ['free=25, pro=1_000', ['free = 25', 'pro=1000'], { free: 25, pro: 1000 }]) {
        expect(read(given)).toEqual(expected);
      }
      file('{"plan_active_cues": {"__proto__": 1}}');
      expect(refusal({})).toContain('plan_active_cues');
    });

    test('reads lists, and numbers with separators', () => {
      const env = { PARLEY_TRUSTED_PROXIES: '10.0.0.1, 10.1.0.0/16 ,', CH_MAX_BYTES: '1_000_000' };
      const { trustedProxies, chMaxBytes } = load({ env }).config;
      expect(trustedProxies).toEqual(['10.0.0.1', '10.1.0.0/16']);
      expect(chMaxBytes).toBe(1_000_000);
    });

    test('never repeats a secret that it refuses', () => {
      file({ secret_key: ['hunter2'] });
      expect(refusal({})).not.toContain('hunter2');
      for (const flag of ['secret-key', 'database-url']) {
        expect(refusal({ flags: { [flag]: 'mysql://u:hunter2@h/d' } })).not.toContain('hunter2');
      }
    });
  });

  describe('file', () => {
    test('that was only found in the working folder names no program', () => {
      file({ git_program: './planted' });
      expect(refusal({})).toMatch(/^git_program names a program, .* --git-program or PARLEY_GIT_PROGRAM/);
      expect(load({ flags: { config: 'parley.json' } }).config.gitProgram).toBe('./planted');
      expect(load({ env: { PARLEY_CONFIG: 'parley.json' } }).config.gitProgram).toBe('./planted');
      file({ port: 1 });
      expect(load({ env: { PARLEY_GIT_PROGRAM: '/usr/bin/git' } }).config.gitProgram).toBe('/usr/bin/git');
    });

    test('takes JSON values as they are', () => {
      file({ port: 8080, rate_limits: false, trusted_proxies: ['10.0.0.1'], host: '::1' });
      expect(load().config).toMatchObject({
        port: 8080,
        rateLimits: false,
        trustedProxies: ['10.0.0.1'],
        host: '::1',
      });
    });

    test('is named by flag, then by variable', () => {
      file({ port: 1 }, 'one.json');
      file({ port: 2 }, 'two.json');
      const env = { PARLEY_CONFIG: 'two.json' };
      expect(load({ flags: { config: 'one.json' }, env }).config.port).toBe(1);
      expect(load({ env }).config.port).toBe(2);
      expect(load({ env: { PARLEY_CONFIG: '' } }).config.port).toBe(7330);
    });

    test('must exist when named', () => {
      expect(refusal({ flags: { config: 'gone.json' } })).toContain(join(cwd, 'gone.json'));
      expect(refusal({ flags: { config: true } })).toContain('--config');
      expect(refusal({ flags: { config: '' } })).toContain('--config');
    });

    test.each(['', '{', '[]', 'null', '"text"', '7'])('is refused when it holds %j', (content) => {
      file(content);
      expect(refusal({})).toContain('parley.json');
    });
  });
});
