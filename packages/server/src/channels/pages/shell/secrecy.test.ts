import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join as joinPath } from 'node:path';
import { expect, test } from 'vitest';
import { startRecordingProxy } from './testing/recording-proxy.ts';
import {
  ApiPeer,
  initiate,
  join,
  joinScript,
  loopIsListening,
  rosterOf,
  startLoop,
} from './testing/scene.ts';
import { filesOf, type ShellDesk } from './testing/shell-desk.ts';
import { describeInShells } from './testing/shell-suite.ts';

describeInShells('channel shell › secrecy', (suite) => {
  const { desk } = suite;

  test('gives key and plaintext to no process argument, no request and no log', async () => {
    const proxy = await startRecordingProxy(suite.server.url);
    try {
      const alices = desk('api');
      const watched = recordArguments(alices);
      const alice = await initiate(alices, proxy.url, watched.environment);
      const bob = await join(desk('web'), alice.joinUrl, watched.environment);
      const loops = [startLoop(alice, watched.environment), startLoop(bob, watched.environment)] as const;
      await loops[1].line(/PAIRED/);
      const note = joinPath(alices.directory, 'note');
      writeFileSync(note, 'from the file: open-sesame');
      await alices.run(
        `. '${alice.sessionFile}'
agentalk_say 'said: open-sesame'
agentalk_dm web_ 'whispered: open-sesame'
agentalk_say_file '${note}'
agentalk_send '{"text":"raw: open-sesame"}'
agentalk_rejoin
agentalk_persist_identity`,
        watched.environment,
      );
      await loops[1].line(/preview=raw: open-sesame/);
      const running = processArguments();
      await alices.run(`. '${alice.sessionFile}' && agentalk_leave`, watched.environment);

      const { key, token } = alice.invitation;
      const secrets = ['open-sesame', key, Buffer.from(key, 'hex').toString('base64url')];
      const identities = [participantOf(bob.sessionFile), token];
      const debug = readFileSync(`/tmp/agentalk-debug-${bob.channel}-${bob.name}.log`, 'utf8');
      const theirArguments = watched.arguments().replaceAll(/bootstrap\.sh\?token=\w+/g, 'bootstrap.sh');

      expect(theirArguments).toContain('agentalk say');
      expect(running).toContain('agentalk loop');
      expect(proxy.sent()).toContain('/poll?');
      for (const secret of secrets) {
        expect(theirArguments).not.toContain(secret);
        expect(running).not.toContain(secret);
        expect(proxy.sent()).not.toContain(secret);
        expect(suite.server.rawLog()).not.toContain(secret);
        expect(debug).not.toContain(secret);
      }
      for (const secret of identities) {
        expect(theirArguments).not.toContain(secret);
        expect(running).not.toContain(secret);
        expect(suite.server.rawLog()).not.toContain(secret);
        expect(debug).not.toContain(secret);
      }
    } finally {
      await proxy.close();
    }
  });

  test.each(['session', 'events'])('does not write through a link planted for the %s file', async (kind) => {
    const alice = await initiate(desk('api'), suite.server.url);
    const web = desk('web');
    const target = joinPath(web.directory, 'victim');
    writeFileSync(target, 'precious');
    const planted = `/tmp/agentalk-${kind}-${alice.channel}-web_.${kind === 'session' ? 'env' : 'log'}`;
    symlinkSync(target, planted);
    const before = filesOf(alice.channel);
    const result = await web.run(`${joinScript(alice.joinUrl)}echo "status $?"\n`);
    expect(result.stderr).toBe(
      `ERROR: agentalk bootstrap (joiner): ${planted} is a symbolic link; it is not followed\n`,
    );
    expect(result.stdout).toBe('status 1\n');
    expect(readFileSync(target, 'utf8')).toBe('precious');
    expect(lstatSync(planted).isSymbolicLink()).toBe(true);
    expect(filesOf(alice.channel)).toEqual(before);
    expect((await rosterOf(alice.invitation)).map(({ name }) => name)).toEqual(['api_', 'looker']);
  });

  test('does not start a loop on an events file that became a link', async () => {
    const alice = await initiate(desk('api'), suite.server.url);
    const target = joinPath(alice.desk.directory, 'victim');
    writeFileSync(target, 'precious');
    rmSync(alice.eventsFile);
    symlinkSync(target, alice.eventsFile);
    const loop = startLoop(alice);
    expect(await loop.ended).toBe(1);
    expect(loop.stderr()).toContain('is a symbolic link');
    expect(readFileSync(target, 'utf8')).toBe('precious');
  });

  test('steps around a link planted for a received text', async () => {
    const alice = await initiate(desk('api'), suite.server.url);
    const loop = startLoop(alice);
    await expect.poll(() => loopIsListening(alice)).toBe(true);
    const target = joinPath(alice.desk.directory, 'victim');
    writeFileSync(target, 'precious');
    symlinkSync(target, `/tmp/agentalk-rx-${alice.channel}-${loop.child.pid}-1.txt`);
    const peer = await ApiPeer.join(alice.invitation, 'peer');
    await peer.send({ text: 'hi' });
    expect(await loop.line(/BROADCAST/)).toContain(`-${loop.child.pid}-2.txt `);
    expect(readFileSync(target, 'utf8')).toBe('precious');
  });
});

function participantOf(sessionFile: string): string {
  return /PARTICIPANT_ID='(.*)'/.exec(readFileSync(sessionFile, 'utf8'))?.[1] ?? 'absent';
}

/** Puts programs in front of the real ones that write down how they were called. */
function recordArguments(at: ShellDesk): { environment: Record<string, string>; arguments: () => string } {
  const bin = joinPath(at.directory, '..', 'bin');
  const log = joinPath(at.directory, '..', 'arguments');
  mkdirSync(bin);
  for (const program of ['node', 'curl', 'cat', 'mktemp']) {
    const real = execFileSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim();
    const file = joinPath(bin, program);
    writeFileSync(file, `#!/bin/sh\nprintf '%s\\n' "${program} $*" >>'${log}'\nexec '${real}' "$@"\n`);
    chmodSync(file, 0o755);
  }
  return {
    environment: { PATH: `${bin}:${process.env.PATH ?? ''}` },
    arguments: () => (existsSync(log) ? readFileSync(log, 'utf8') : ''),
  };
}

/** The command lines of all processes, as any user of the machine sees them. */
function processArguments(): string {
  if (!existsSync('/proc/self/cmdline'))
    return execFileSync('ps', ['-axww', '-o', 'command='], { encoding: 'utf8' });
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const lines = ids.map((id) => {
    try {
      return readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ');
    } catch {
      return '';
    }
  });
  return lines.join('\n');
}
