import { rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { reasonOf } from '../bridge/failures.ts';
import type { Places } from '../bridge/kept/places.ts';
import { jsonFilesIn } from '../bridge/kept/private-json.ts';
import { type AgentSession, readSession } from '../bridge/kept/session-file.ts';
import { StateFile } from '../bridge/kept/state-file.ts';
import { TokenFiles } from '../bridge/kept/token-files.ts';
import { WakeQueue } from '../bridge/wake-queue.ts';
import type { Findings } from './findings.ts';

const MOVE_AWAY = 'move it away; it is made anew when needed';
/** A wake that was tried this often is not only waiting for a restart of the runtime. */
const MANY_ATTEMPTS = 3;

/** The session, if there is one. */
export function examineFiles(places: Places, findings: Findings): AgentSession | undefined {
  examineFolder(places.tokens, 'token_dir', findings);
  examineFolder(places.queue, 'wake_queue_dir', findings);
  examineModes(places, findings);
  attempt(findings, 'state_readable', () => new StateFile(places.state));
  attempt(findings, 'tokens_readable', () => {
    const files = new TokenFiles(places.tokens);
    for (const room of files.rooms()) files.read(room);
  });
  examineQueue(new WakeQueue(places.queue), findings);
  return examineSession(places.session, findings);
}

function examineSession(path: string, findings: Findings): AgentSession | undefined {
  try {
    const session = readSession(path);
    findings.is('session_exists', session !== undefined, {
      problem: 'nobody is logged in',
      fix: 'log in: printf \'%s\' "$KEY" | aya login --stdin',
    });
    if (session) findings.fine('session_readable');
    return session;
  } catch (error) {
    findings.fine('session_exists');
    findings.wrong('session_readable', reasonOf(error), 'log in again: aya login');
    return undefined;
  }
}

function attempt(findings: Findings, check: 'state_readable' | 'tokens_readable', act: () => unknown): void {
  try {
    act();
    findings.fine(check);
  } catch (error) {
    findings.wrong(check, reasonOf(error), MOVE_AWAY);
  }
}

function examineFolder(folder: string, name: 'token_dir' | 'wake_queue_dir', findings: Findings): void {
  const exists = statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
  findings.is(`${name}_exists`, exists, {
    problem: `there is no folder ${folder}`,
    fix: 'run aya init, or aya serve, which makes it',
  });
  if (!exists) findings.missing(`${name}_writable`);
  else {
    findings.is(`${name}_writable`, canWrite(folder), {
      problem: `nothing can be written in ${folder}`,
      fix: `let this user own it, with mode 700: chmod 700 ${folder}`,
    });
  }
}

function canWrite(folder: string): boolean {
  const probe = join(folder, `.doctor-${process.pid}.tmp`);
  try {
    writeFileSync(probe, '', { flag: 'wx' });
    rmSync(probe);
    return true;
  } catch {
    return false;
  }
}

/** Everything in the home is a key or leads to one. */
function examineModes(places: Places, findings: Findings): void {
  const { base, tokens, queue, logs, config, session, state, lock } = places;
  const kept = [tokens, queue].flatMap((folder) => jsonFilesIn(folder).map((name) => join(folder, name)));
  const open = [base, tokens, queue, logs, config, session, state, lock, ...kept].filter(isOpenToOthers);
  findings.is('file_modes_ok', open.length === 0, {
    problem: `others may read ${open.join(', ')}`,
    fix: `close it: chmod go= ${open.join(' ')}`,
  });
}

function isOpenToOthers(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && process.platform !== 'win32' && (found.mode & 0o077) !== 0;
}

function examineQueue(queue: WakeQueue, findings: Findings): void {
  const broken = queue.broken();
  findings.is('queue_readable', broken.length === 0, { problem: broken.join(', '), fix: 'move it away' });
  const stuck = queue.list().filter(({ attempt_count: count }) => count >= MANY_ATTEMPTS);
  const [first] = stuck;
  findings.is('wakes_flow', stuck.length === 0, {
    problem: `${stuck.length} wakes were refused again and again, the first one with: ${first?.last_error}`,
    fix: 'see whether the runtime runs and takes the hook token; give up on one with aya queue drop ID',
  });
}
