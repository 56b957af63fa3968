import { readFileSync, statSync } from 'node:fs';
import { keyFingerprint } from '@parley/protocol/channels/key';
import { expect, test } from 'vitest';
import {
  ApiPeer,
  createRoom,
  initiate,
  join,
  joinScript,
  loopIsListening,
  rosterOf,
  startLoop,
} from './testing/scene.ts';
import { filesOf } from './testing/shell-desk.ts';
import { describeInShells } from './testing/shell-suite.ts';

describeInShells('channel shell › pairing', (suite) => {
  const { desk } = suite;

  test('pairs two shells from two directories', async () => {
    const alice = await initiate(desk('api'), suite.server.url);
    const bob = await join(desk('web ünit'), alice.joinUrl);
    const loops = [startLoop(alice), startLoop(bob)] as const;
    expect(await loops[0].line(/WELCOMED/)).toBe('agentalk: WELCOMED web___nit_');
    expect(await loops[1].line(/PAIRED/)).toBe('agentalk: PAIRED with api_');
    expect(alice.name).toBe('api_');
    expect(bob.output).toContain(
      `READY joiner: channel=${alice.channel} name=web___nit_ others=api_ key=verified\n`,
    );
    expect(readFileSync(bob.eventsFile, 'utf8')).toBe(`${loops[1].lines().join('\n')}\n`);
  });

  test('makes the files of a session, all for the owner only', async () => {
    const alice = await initiate(desk('api'), suite.server.url);
    startLoop(alice);
    await expect.poll(() => loopIsListening(alice)).toBe(true);
    const own = `${alice.channel}-api_`;
    const files = filesOf(alice.channel);
    expect(files).toEqual(
      expect.arrayContaining([
        `/tmp/agentalk-session-${own}.env`,
        `/tmp/agentalk-events-${own}.log`,
        `/tmp/agentalk-share-${own}.txt`,
        `/tmp/agentalk-share-human-${own}.txt`,
        `/tmp/agentalk-${own}.cursor`,
        `/tmp/agentalk-${own}.hdr`,
        `/tmp/agentalk-debug-${own}.log`,
      ]),
    );
    for (const file of files) expect([file, statSync(file).mode & 0o777]).toEqual([file, 0o600]);
  });

  test('fills the key into both share messages', async () => {
    const alice = await initiate(desk('api'), suite.server.url);
    const human = readFileSync(`/tmp/agentalk-share-human-${alice.channel}-${alice.name}.txt`, 'utf8');
    expect(human).toContain(alice.joinUrl);
    expect(human).not.toContain('__KEY__');
    expect(alice.joinUrl).toMatch(/#k=[\w-]{43}$/);
  });

  test('sends the hello of a joiner before any loop runs', async () => {
    const alice = await initiate(desk('api'), suite.server.url);
    const bob = await join(desk('web'), alice.joinUrl);
    const peer = await ApiPeer.join(alice.invitation, 'reader');
    const challenge = /export MY_CHALL='([0-9a-f]{16})'/.exec(readFileSync(bob.sessionFile, 'utf8'))?.[1];
    expect(await peer.envelopes()).toEqual([
      { from: 'web_', envelope: expect.objectContaining({ hello: challenge }) },
    ]);
  });

  test('takes the key in every spelling', async () => {
    const alice = await initiate(desk('api'), suite.server.url);
    const { key } = alice.invitation;
    const [link = ''] = alice.joinUrl.split('#');
    const text = Buffer.from(key, 'hex').toString('base64url');
    for (const spelling of [text, `${text}=`, key, key.toUpperCase(), `${text}&n=x`]) {
      const bob = await join(desk('web'), `${link}#k=${spelling}`);
      expect(bob.output).toContain('key=verified');
      expect(readFileSync(bob.sessionFile, 'utf8')).toContain(`export CHANNEL_KEY='${key}'\n`);
    }
    const roster = (await rosterOf(alice.invitation)).map((entry) => entry.key_fp);
    expect(new Set(roster)).toEqual(new Set([await keyFingerprint(key)]));
  });

  test('takes a name that is given, and the next free one when it is taken', async () => {
    const alice = await initiate(desk('api'), suite.server.url, { AGENTALK_NAME: 'laptop' });
    const bob = await join(desk('web'), alice.joinUrl, { AGENTALK_NAME: 'laptop' });
    const carol = await join(desk('web'), alice.joinUrl, { AGENTALK_NAME: 'lap;top$(id)' });
    expect([alice.name, bob.name, carol.name]).toEqual(['laptop', 'laptop-1', 'lap_top__id_']);
  });

  test.each([
    ['no key', ''],
    ['a short key', 'abc'],
    ['a hex key cut short', 'a'.repeat(43)],
    ['a key with shell text in it', '$(touch /tmp/x)'],
  ])('refuses %s and names the two forms', async (_what, key) => {
    const script = joinScript(`${suite.server.url}/c/${'ab'.repeat(16)}?token=${'cd'.repeat(24)}#k=`);
    const result = await desk('web').run(`${script.replace(/^AGENTALK_KEY=.*\n/, '')}echo "status $?"\n`, {
      AGENTALK_KEY: key,
    });
    expect(result.stderr).toMatch(/^ERROR: agentalk bootstrap \(joiner\): .*43 base64url or 64 hex/);
    expect(result.stdout).toBe('status 1\n');
  });

  test('says that a channel is gone, and why', async () => {
    const alice = await initiate(desk('api'), suite.server.url);
    await (await ApiPeer.join(alice.invitation, 'other')).leave();
    await alice.desk.run(`. '${alice.sessionFile}' && agentalk_leave\n`);
    const result = await desk('web').run(`${joinScript(alice.joinUrl)}echo "status $?"\n`);
    expect(result.stderr).toMatch(
      /^ERROR: agentalk bootstrap \(joiner\): the channel is gone \(evicted_empty/,
    );
    expect(result.stdout).toBe('status 1\n');
    expect(filesOf(alice.channel)).toEqual([]);
  });

  test('leaves again when everyone else holds another key', async () => {
    const alice = await initiate(desk('api'), suite.server.url);
    const wrong = alice.joinUrl.replace(/#k=.*/, `#k=${'0123'.repeat(16)}`);
    const before = filesOf(alice.channel);
    const result = await desk('web').run(`${joinScript(wrong)}echo "status $?"\n`);
    expect(result.stderr).toContain('fingerprint mismatch');
    expect(result.stderr).toContain('disagreeing peers: api_');
    expect(result.stdout).toBe('status 1\n');
    expect(filesOf(alice.channel)).toEqual(before);
    expect((await rosterOf(alice.invitation)).map(({ name }) => name)).toEqual(['api_', 'looker']);
  });

  test('tells a mixed room from one that reports no keys', async () => {
    const alice = await initiate(desk('api'), suite.server.url);
    await ApiPeer.join({ ...alice.invitation, key: 'ab'.repeat(32) }, 'stranger');
    const partial = await join(desk('web'), alice.joinUrl);
    expect(partial.output).toContain('key=partial\nNOTE: key=partial — ');
    expect(partial.output).toMatch(/^NOTE: .*api_.*stranger/m);

    const room = await createRoom(suite.server.url);
    await ApiPeer.join(room, 'quiet', { silent: true });
    const unverified = await join(
      desk('web'),
      `${suite.server.url}/c/${room.channelId}?token=${room.token}#k=${room.key}`,
    );
    expect(unverified.output).toContain('others=quiet key=unverified\nNOTE: key=unverified — ');
    expect(unverified.output).toMatch(/^NOTE: .*quiet/m);
  });
});
