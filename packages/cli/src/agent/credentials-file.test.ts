import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CredentialsFile, credentialsPath } from './credentials-file.ts';

const [SEA, LAND] = ['https://sea.example', 'https://land.example'];
const credentials = (agent: string, key = `ak_${agent}`) => ({ agent_id: `agt_${agent}`, api_key: key });

describe('credentials file', () => {
  let home: string;
  let file: CredentialsFile;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'parley-kept-'));
    file = new CredentialsFile(credentialsPath({ XDG_CONFIG_HOME: home }));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const kept = (): unknown => JSON.parse(readFileSync(file.path, 'utf8'));
  const inUse = (): string[] => file.all().flatMap(({ name, in_use }) => (in_use ? [name] : []));

  test('is empty before anything is kept', () => {
    expect(file.path).toBe(join(home, 'parley/credentials.json'));
    expect([file.all(), file.of(SEA), file.nameOf(SEA), file.inUse(), file.called('ann')]).toEqual([
      [],
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('keeps every key under a name of its own, and a key it has already under the one it has', () => {
    expect(file.put(SEA, credentials('ann'))).toBe('agt_ann');
    expect(file.put(SEA, credentials('ann', 'ak_second'))).toBe('agt_ann-2');
    expect(file.put(LAND, credentials('ann'))).toBe('agt_ann-3');
    expect(file.put(SEA, credentials('bob'), 'bob')).toBe('bob');
    expect(file.put(SEA, { ...credentials('ann'), session_token: 'as_1' }, 'other')).toBe('agt_ann');
    expect(kept()).toEqual({
      version: 2,
      profiles: {
        agt_ann: { ...credentials('ann'), session_token: 'as_1', server: SEA },
        'agt_ann-2': { ...credentials('ann', 'ak_second'), server: SEA },
        'agt_ann-3': { ...credentials('ann'), server: LAND },
        bob: { ...credentials('bob'), server: SEA },
      },
      current: { [SEA]: 'agt_ann', [LAND]: 'agt_ann-3' },
    });
    expect(file.names(SEA)).toEqual(['agt_ann', 'agt_ann-2', 'bob']);
    expect(file.names(LAND)).toEqual(['agt_ann-3']);
    // Nothing was chosen for all servers: at each its own.
    expect(inUse()).toEqual(['agt_ann', 'agt_ann-3']);
    expect(file.inUse()).toBeUndefined();
  });

  test('finds one by name, by the id of its agent, and at its own server only', () => {
    file.put(SEA, credentials('ann'), 'ann');
    file.put(LAND, credentials('bob'), 'bob');
    expect([file.called('ann'), file.called('agt_bob'), file.called('agt_nobody')]).toEqual([
      'ann',
      'bob',
      undefined,
    ]);
    expect(file.of(SEA)).toMatchObject(credentials('ann'));
    expect(file.of(SEA, 'agt_ann')).toMatchObject(credentials('ann'));
    expect([file.of(SEA, 'bob'), file.named(LAND, 'ann')]).toEqual([undefined, undefined]);
    expect(file.profile('toString')).toBeUndefined();
  });

  test('one that was chosen is in use everywhere, until another is put or it is removed', () => {
    file.put(SEA, credentials('ann'), 'ann');
    file.put(LAND, credentials('bob'), 'bob');
    file.use('ann');
    expect([inUse(), file.inUse()?.server]).toEqual([['ann'], SEA]);
    file.put(LAND, credentials('cyd'), 'cyd');
    expect([inUse(), file.of(LAND)?.agent_id]).toEqual([['cyd'], 'agt_cyd']);
    file.remove('bob');
    expect(kept()).toMatchObject({ current: { [SEA]: 'ann', [LAND]: 'cyd' }, use: 'cyd' });
    file.remove('cyd');
    expect(kept()).toEqual({
      version: 2,
      profiles: { ann: { ...credentials('ann'), server: SEA } },
      current: { [SEA]: 'ann' },
    });
  });

  test('takes over the first version, and refuses what is neither', () => {
    mkdirSync(join(home, 'parley'), { mode: 0o700 });
    const write = (value: unknown): void =>
      writeFileSync(file.path, typeof value === 'string' ? value : JSON.stringify(value), { mode: 0o600 });
    write({ version: 1, servers: { [SEA]: credentials('ann'), [LAND]: credentials('bob') } });
    expect(file.all()).toEqual([
      { name: 'agt_ann', server: SEA, agent_id: 'agt_ann', in_use: true },
      { name: 'agt_bob', server: LAND, agent_id: 'agt_bob', in_use: true },
    ]);
    const profile = { ...credentials('ann'), server: SEA };
    for (const wrong of [
      'no JSON',
      {},
      { servers: { [SEA]: { agent_id: 'agt_ann' } } },
      { servers: { [SEA]: { api_key: 'ak_ann' } } },
      { profiles: { ann: profile } },
      { current: {} },
      { profiles: { ann: credentials('ann') }, current: {} },
      { profiles: { ann: { ...profile, server: 1 } }, current: {} },
      { profiles: { ann: { ...profile, api_key: undefined } }, current: {} },
    ]) {
      write(wrong);
      expect(() => file.all()).toThrow(/credentials\.json is not a credentials file; move it away$/);
    }
    write({ profiles: { ann: profile }, current: {} });
    expect(file.names(SEA)).toEqual(['ann']);
  });
});
