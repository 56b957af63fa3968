import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { putChain, takeChain } from './chain-file.ts';
import {
  createPrivateFile,
  openPrivateLog,
  readPrivateFile,
  replacePrivateFile,
  UnsafeFileError,
} from './private-files.ts';
import { readIdentity, writeIdentity, writeSession } from './session.ts';

let directory: string;
const at = (name: string): string => join(directory, name);

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'parley-files-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const variables = () => ({
  BRIDGE_URL: 'http://127.0.0.1:7330',
  CHANNEL_ID: 'ab',
  TOKEN: 'cd',
  PARTICIPANT_ID: 'ef',
  MY_NAME: 'api_',
  CHANNEL_KEY: '00',
  SESSION_FILE: at('session'),
  EVENTS_FILE: at('events'),
});

describe('shell session › private files', () => {
  test('are for the owner only, whatever the mask and the file before', () => {
    writeFileSync(at('file'), 'old and longer', { mode: 0o666 });
    createPrivateFile(at('file'), 'new');
    openPrivateLog(at('log')).write('line\n');
    expect([readFileSync(at('file'), 'utf8'), readFileSync(at('log'), 'utf8')]).toEqual(['new', 'line\n']);
    for (const name of ['file', 'log']) expect(statSync(at(name)).mode & 0o777).toBe(0o600);
  });

  test.each([
    ['create', () => createPrivateFile(at('link'), 'x')],
    ['replace', () => replacePrivateFile(at('link'), 'x')],
    ['append', () => openPrivateLog(at('link'))],
    ['read', () => readPrivateFile(at('link'))],
  ])('%s does not follow a link', (_what, act) => {
    writeFileSync(at('victim'), 'precious');
    symlinkSync(at('victim'), at('link'));
    expect(act).toThrow(UnsafeFileError);
    expect(readFileSync(at('victim'), 'utf8')).toBe('precious');
  });

  test('leave nothing behind when they are replaced', () => {
    createPrivateFile(at('file'), 'one');
    replacePrivateFile(at('file'), 'two');
    expect(readdirSync(directory)).toEqual(['file']);
    expect(readPrivateFile(at('file'))).toBe('two');
  });
});

describe('shell session › session file', () => {
  test('changes the identity and nothing else', () => {
    const helpers = "helper() { :; }\nexport MY_NAME='not this one'\n";
    writeSession(variables(), helpers);
    const before = readFileSync(at('session'), 'utf8');
    writeIdentity(at('session'), { participantId: '12', name: 'api_-1' });
    expect(readIdentity(at('session'))).toEqual({ participantId: '12', name: 'api_-1' });
    expect(readFileSync(at('session'), 'utf8')).toBe(
      before
        .replace("PARTICIPANT_ID='ef'", "PARTICIPANT_ID='12'")
        .replace("MY_NAME='api_'", "MY_NAME='api_-1'"),
    );
  });

  test.each(["x'; id; '", 'x\nid'])('takes no value that the shell would run: %j', (value) => {
    expect(() => writeSession({ ...variables(), PARTICIPANT_ID: value }, '')).toThrow('PARTICIPANT_ID');
    expect(readdirSync(directory)).toEqual([]);
  });
});

describe('shell session › chain file', () => {
  const state = { sid: 'aa', seq: 3, prev: 'bb' };

  test('is carried from one process to the next', () => {
    putChain(at('chain'), state);
    expect(takeChain(at('chain'))).toEqual(state);
  });

  test('is given out once, so that two senders never continue the same run', () => {
    putChain(at('chain'), state);
    takeChain(at('chain'));
    expect(takeChain(at('chain'))).toBeUndefined();
    expect(readdirSync(directory)).toEqual([]);
  });

  test.each(['', 'null', '{"sid":1,"seq":2}', '{"sid":"a"}'])('starts anew after %j', (text) => {
    createPrivateFile(at('chain'), text);
    expect(takeChain(at('chain'))).toBeUndefined();
  });
});
