import { readFileSync, writeFileSync } from 'node:fs';
import { join as joinPath } from 'node:path';
import { expect, test } from 'vitest';
import { FakeClock } from '../../../testing/fake-clock.ts';
import { startServer } from '../../../testing/start-server.ts';
import { loopScript } from './scripts.ts';
import {
  ApiPeer,
  createRoom,
  initiate,
  inSession,
  join,
  joinScript,
  leaveAs,
  loopIsListening,
  startLoop,
} from './testing/scene.ts';
import { receivedText } from './testing/shell-desk.ts';
import { describeInShells } from './testing/shell-suite.ts';

/** Longer than any test: the hold then ends by what the test does. */
const LONG_HOLD = { AGENTALK_COALESCE_S: '600', AGENTALK_COALESCE_MAX_S: '600' };

describeInShells('channel shell › loop', (suite) => {
  const { shell, desk } = suite;

  test('refuses to be executed instead of sourced, and tells the watcher too', async () => {
    const alice = await initiate(desk('api'), suite.server.url);
    const file = joinPath(alice.desk.directory, 'loop.sh');
    writeFileSync(file, loopScript({ base: suite.server.url }));
    const run = await inSession(alice, `${shell.command.join(' ')} '${file}'`);
    expect(run.code).toBe(1);
    expect(run.stdout).toMatch(
      /^agentalk: FATAL loop_not_sourced missing=_agentalk_node,agentalk_send,\S+ .*must be SOURCED/,
    );
    expect(run.stdout).toContain(alice.sessionFile);
    expect(run.stdout.split('\n')).toHaveLength(2);
    expect(readFileSync(alice.eventsFile, 'utf8')).toBe(run.stdout);
  });

  test('refuses to start without its variables', async () => {
    const run = await desk('api').run(
      `. <(curl -fsS '${suite.server.url}/helpers.sh')\nMY_NAME=x\n. <(curl -fsS '${suite.server.url}/loop.sh')\necho still here\n`,
    );
    expect(run.code).toBe(1);
    expect(run.stdout).toBe(
      'agentalk: FATAL loop_env_incomplete missing=BRIDGE_URL,CHANNEL_ID,TOKEN,PARTICIPANT_ID,CHANNEL_KEY,SESSION_FILE,EVENTS_FILE\n',
    );
  });

  test('only defines its functions when told to wait', async () => {
    const run = await desk('api').run(
      `AGENTALK_LOOP_DEFER=1\n. <(curl -fsS '${suite.server.url}/loop.sh')\ntypeset -f agentalk_loop >/dev/null && echo defined\n`,
    );
    expect([run.code, run.stdout]).toEqual([0, 'defined\n']);
  });

  test('prints fifty messages, each exactly once', async () => {
    const alice = await initiate(desk('api'), suite.server.url);
    const peer = await ApiPeer.join(alice.invitation, 'peer');
    for (let count = 1; count <= 50; count++) await peer.send({ text: `message ${count}` });
    const loop = startLoop(alice);
    await loop.line(/preview=message 50$/);
    const lines = loop.lines().filter((line) => line.includes('BROADCAST'));
    expect(lines.map((line) => line.replace(/.*preview=/, ''))).toEqual(
      Array.from({ length: 50 }, (_, index) => `message ${index + 1}`),
    );
    expect(readFileSync(alice.eventsFile, 'utf8')).toBe(loop.stdout());
    expect(readFileSync(`/tmp/agentalk-${alice.channel}-api_.cursor`, 'utf8')).toBe('52\n');
  });

  test('joins a burst of a person into one line, and leaves those of an agent apart', async () => {
    const alice = await initiate(desk('api'), suite.server.url);
    const loop = startLoop(alice, LONG_HOLD);
    const person = await ApiPeer.join(alice.invitation, 'Zoë');
    const other = await ApiPeer.join(alice.invitation, 'Max');
    const agent = await ApiPeer.join(alice.invitation, 'agent');
    for (const each of [person, other]) await each.hello({ human: true });
    expect(await loop.line(/HUMAN_JOINED name=Zoë/)).toBe('agentalk: HUMAN_JOINED name=Zoë resumed=0');
    await loop.line(/HUMAN_JOINED name=Max/);
    for (const text of ['one', 'two', 'three']) await person.send({ text });
    for (const text of ['A', 'B', 'C']) await agent.send({ text });
    // Another person speaking ends the hold, however slow this machine is.
    await other.send({ text: 'my turn' });
    const line = await loop.line(/from=Zoë/);
    expect(line).toMatch(
      /^agentalk: BROADCAST from=Zoë human=1 msgs=3 bytes=15 file=\S+ preview=one {2}two {2}three$/,
    );
    expect(receivedText(line)).toBe('one\n\ntwo\n\nthree');
    await loop.line(/preview=C$/);
    expect(loop.lines().filter((each) => each.includes('from=agent'))).toHaveLength(3);
    expect(loop.lines().filter((each) => each.includes('from=Zoë'))).toHaveLength(1);
  });

  test('prints a burst before the leave of whoever wrote it', async () => {
    const alice = await initiate(desk('api'), suite.server.url);
    const loop = startLoop(alice, LONG_HOLD);
    const person = await ApiPeer.join(alice.invitation, 'Zoë');
    await person.hello({ human: true });
    await loop.line(/HUMAN_JOINED/);
    await person.send({ text: 'bye' });
    await person.send({ text: 'then' });
    await person.leave();
    await loop.line(/PEER_LEFT/);
    expect(loop.lines().slice(-2)).toEqual([
      expect.stringContaining('from=Zoë human=1 msgs=2'),
      'agentalk: PEER_LEFT name=Zoë human=1',
    ]);
  });

  test('tells what it cannot open, what came twice and who holds another key', async () => {
    const alice = await initiate(desk('api'), suite.server.url);
    const loop = startLoop(alice);
    await expect.poll(() => loopIsListening(alice)).toBe(true);
    const stranger = await ApiPeer.join({ ...alice.invitation, key: 'ab'.repeat(32) }, 'stranger');
    expect(await loop.line(/KEY_MISMATCH/)).toBe('agentalk: KEY_MISMATCH name=stranger');
    await ApiPeer.join(alice.invitation, 'quiet one', { silent: true });
    expect(await loop.line(/KEY_UNVERIFIED/)).toBe('agentalk: KEY_UNVERIFIED name=quietone');
    await stranger.send({ text: 'not for you' });
    expect(await loop.line(/DECRYPT_FAIL/)).toBe('agentalk: DECRYPT_FAIL from=stranger');
    const peer = await ApiPeer.join(alice.invitation, 'peer');
    const blob = await peer.send({ text: 'once' });
    await peer.sendBlob(blob);
    expect(await loop.line(/REPLAYED/)).toBe('agentalk: REPLAYED from=peer');
    expect(loop.lines().filter((line) => line.includes('BROADCAST'))).toHaveLength(1);
  });

  test('will not run twice for one session', async () => {
    const alice = await initiate(desk('api'), suite.server.url);
    const first = startLoop(alice);
    await expect.poll(() => loopIsListening(alice)).toBe(true);
    const second = startLoop(alice);
    expect(await second.ended).toBe(1);
    expect(second.stdout()).toBe(`agentalk: FATAL loop_already_running pid=${first.child.pid}\n`);
    expect(readFileSync(alice.eventsFile, 'utf8')).toBe('');
  });

  test('takes the place of its shell, so that stopping the one stops the other', async () => {
    const alice = await initiate(desk('api'), suite.server.url);
    const loop = startLoop(alice);
    await expect.poll(() => loopIsListening(alice)).toBe(true);
    loop.child.kill('SIGTERM');
    expect(await loop.ended).toBe(0);
    expect(readFileSync(`/tmp/agentalk-debug-${alice.channel}-api_.log`, 'utf8')).toContain(
      'loop ended: stopped',
    );
  });

  test('ends when nobody reads what it prints', async () => {
    const alice = await initiate(desk('api'), suite.server.url);
    const peer = await ApiPeer.join(alice.invitation, 'peer');
    const source = `. '${alice.sessionFile}' && . <(curl -fsS '${suite.server.url}/loop.sh')`;
    const piped = alice.desk.start(`( ${source} ) | head -n 1\necho over\n`);
    await expect.poll(() => loopIsListening(alice)).toBe(true);
    // Its first line takes the reader away; the next one finds nobody.
    const said = async (): Promise<string[]> => {
      await peer.send({ text: 'anybody there?' });
      return piped.lines();
    };
    await expect.poll(said).toContain('over');
  });

  test('ends with the reason when its participant was removed, its channel is unknown or its hello refused', async () => {
    const alice = await initiate(desk('api'), suite.server.url);
    await ApiPeer.join(alice.invitation, 'stays');
    const loop = startLoop(alice);
    await expect.poll(() => loopIsListening(alice)).toBe(true);
    await leaveAs(alice);
    expect(await loop.ended).toBe(1);
    expect(loop.lines()).toEqual(['agentalk: SYSTEM bad_request']);

    const source = `. <(curl -fsS '${suite.server.url}/loop.sh')`;
    const unknown = await inSession(alice, `CHANNEL_ID=${'0'.repeat(32)} && ${source}`);
    expect([unknown.code, unknown.stdout]).toEqual([0, 'agentalk: SYSTEM channel_gone\n']);

    const bob = await join(desk('web'), alice.joinUrl);
    const refused = await inSession(bob, `TOKEN=00 && ${source}`);
    expect([refused.code, refused.stdout]).toEqual([
      1,
      'agentalk: SEND_FAILED error=channel_or_token_invalid\nagentalk: SYSTEM hello_send_failed rc=1\n',
    ]);
  });

  test('says that the server is dead, to the watcher of the events too', async () => {
    const brief = await startServer({ rateLimits: false });
    const alice = await initiate(desk('api'), brief.url);
    const bob = await join(desk('web'), alice.joinUrl);
    await brief.close();
    const dead = await inSession(bob, `. <(curl -fsS '${suite.server.url}/loop.sh')`);
    const lines =
      'agentalk: SEND_FAILED error=network_unreachable\nagentalk: SYSTEM hello_send_failed rc=1\n';
    expect([dead.code, dead.stdout]).toEqual([1, lines]);
    expect(readFileSync(bob.eventsFile, 'utf8')).toBe(lines);
  });

  test('honours its settings without export, and prints into no file when so told', async () => {
    const clock = new FakeClock();
    const timed = await startServer({ rateLimits: false, clock });
    try {
      const alice = await initiate(desk('api'), timed.url);
      const person = await ApiPeer.join(alice.invitation, 'Zoë');
      await ApiPeer.join(alice.invitation, 'idle');
      await person.hello({ human: true });
      const settings =
        'AGENTALK_COALESCE_S=0\nAGENTALK_COALESCE_MAX_S=0\nAGENTALK_STALE_S=5\nEVENTS_FILE=/dev/null';
      const loop = alice.desk.start(
        `. '${alice.sessionFile}'\n${settings}\n. <(curl -fsS '${timed.url}/loop.sh')\n`,
      );
      await loop.line(/HUMAN_JOINED/);
      await clock.advance(10_000);
      for (const text of ['one', 'two']) {
        await person.send({ text });
        await loop.line(new RegExp(`from=Zoë human=1 msgs=1 .* preview=${text}$`));
      }
      expect(await loop.line(/PEER_STALE name=idle/)).toBe('agentalk: PEER_STALE name=idle unseen=10s');
      expect(readFileSync(alice.eventsFile, 'utf8')).toBe('');
    } finally {
      await timed.close();
    }
  });

  test('says why the channel ended', async () => {
    const clock = new FakeClock();
    const aging = await startServer({ rateLimits: false, clock, chIdleTimeoutMs: 100 * 3_600_000 });
    try {
      const alice = await initiate(desk('api'), aging.url);
      const loop = startLoop(alice);
      await expect.poll(() => loopIsListening(alice)).toBe(true);
      await clock.leap(37 * 3_600_000);
      expect(await loop.ended).toBe(0);
      expect(loop.lines()).toEqual(['agentalk: SYSTEM evicted_max_lifetime']);
      const late = await inSession(alice, 'agentalk_say late');
      expect([late.code, late.stdout]).toEqual([
        1,
        'agentalk: SEND_FAILED error=channel_or_token_invalid evicted_reason=evicted_max_lifetime\n',
      ]);
    } finally {
      await aging.close();
    }
  });

  test('comes back into a channel that slept, from the loop and from a send', async () => {
    const clock = new FakeClock();
    const sleepy = await startServer({ rateLimits: false, clock, chHibernateMaxMs: 86_400_000 });
    try {
      const alice = await initiate(desk('api'), sleepy.url);
      const bob = await join(desk('web'), alice.joinUrl);
      await clock.advance(31 * 60_000);
      const before = readFileSync(bob.sessionFile, 'utf8');
      const loop = startLoop(bob);
      expect(await loop.line(/RESUMED/)).toBe(`agentalk: RESUMED channel=${alice.channel} name=web_`);
      expect(readFileSync(bob.sessionFile, 'utf8').length).toBe(before.length);
      expect(readFileSync(bob.sessionFile, 'utf8')).not.toBe(before);
      // The room was woken without her, so she is unknown there until she comes back.
      expect((await inSession(alice, 'agentalk_rejoin')).stdout).toBe(
        `agentalk: RESUMED channel=${alice.channel} name=api_\n`,
      );
      const hers = startLoop(alice);
      await hers.line(/WELCOMED web_/);
      await loop.line(/PAIRED with api_/);
      loop.child.kill();
      hers.child.kill();
      await Promise.all([loop.ended, hers.ended]);
      // The server must have seen them go: a parked poll keeps the channel awake.
      await expect.poll(() => parkedPolls(sleepy.url)).toBe(0);

      await clock.advance(31 * 60_000);
      const sent = await inSession(alice, 'agentalk_say awake');
      expect([sent.code, sent.stdout]).toEqual([0, 'agentalk: SENT index=1\n']);
    } finally {
      await sleepy.close();
    }
  });

  test('starts in the background when asked to', async () => {
    const room = await createRoom(suite.server.url);
    const peer = await ApiPeer.join(room, 'peer');
    const url = `${room.base}/c/${room.channelId}?token=${room.token}#k=${room.key}`;
    const bob = await join(desk('web'), url, { AGENTALK_LOOP: 'bg' });
    await expect.poll(() => loopIsListening(bob)).toBe(true);
    await peer.send({ text: 'hi there' });
    await expect.poll(() => readFileSync(bob.eventsFile, 'utf8')).toContain('preview=hi there');
    expect((await inSession(bob, 'agentalk_leave')).code).toBe(0);
  });

  test('runs in place when asked to, and does not return', async () => {
    const room = await createRoom(suite.server.url);
    const peer = await ApiPeer.join(room, 'peer');
    const url = `${room.base}/c/${room.channelId}?token=${room.token}#k=${room.key}`;
    const started = desk('web').start(`${joinScript(url)}echo returned\n`, { AGENTALK_LOOP: 'fg' });
    await started.line(/^READY/);
    await peer.send({ text: 'hi there' });
    await started.line(/preview=hi there$/);
    started.child.kill('SIGTERM');
    expect(await started.ended).toBe(0);
    expect(started.stdout()).not.toContain('returned');
  });
});

async function parkedPolls(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return Number(/^agentalk_polls_parked (\d+)$/m.exec(metrics)?.[1]);
}
