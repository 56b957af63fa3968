import { type SessionVariables, ShellError, variable } from './environment.ts';
import { createPrivateFile, readPrivateFile, replacePrivateFile } from './private-files.ts';

export interface SessionIdentity {
  participantId: string;
  name: string;
}

export interface SessionPaths {
  session: string;
  events: string;
  share: string;
  shareHuman: string;
  cursor: string;
  header: string;
  chain: string;
  debug: string;
}

export function sessionPaths(channelId: string, name: string): SessionPaths {
  const own = `${channelId}-${name}`;
  return {
    session: `/tmp/agentalk-session-${own}.env`,
    events: `/tmp/agentalk-events-${own}.log`,
    share: `/tmp/agentalk-share-${own}.txt`,
    shareHuman: `/tmp/agentalk-share-human-${own}.txt`,
    cursor: `/tmp/agentalk-${own}.cursor`,
    header: `/tmp/agentalk-${own}.hdr`,
    chain: `/tmp/agentalk-${own}.chain`,
    debug: `/tmp/agentalk-debug-${own}.log`,
  };
}

/** The files of the session we are in. They keep the name it began with, whatever we are called after a rejoin. */
export function filePlaces(): SessionPaths {
  const channelId = variable('CHANNEL_ID');
  const began = `/tmp/agentalk-session-${channelId}-`;
  const file = variable('SESSION_FILE');
  const name = file.startsWith(began) ? file.slice(began.length, -'.env'.length) : variable('MY_NAME');
  return sessionPaths(channelId, name);
}

export function receivedPath(channelId: string, processId: number | string, count: number): string {
  return `/tmp/agentalk-rx-${channelId}-${processId}-${count}.txt`;
}

/** `export` lines, then the functions: whoever sources the file can talk. */
export function writeSession(variables: SessionVariables, helpers: string): void {
  const exports = Object.entries(variables).map(([name, value]) => exportLine(name, value));
  createPrivateFile(variables.SESSION_FILE, `${exports.join('\n')}\n\n${helpers}`);
}

export function readIdentity(sessionFile: string): SessionIdentity {
  const text = readPrivateFile(sessionFile);
  return { participantId: exported(text, 'PARTICIPANT_ID'), name: exported(text, 'MY_NAME') };
}

/** Rewrites the two lines that say who we are and nothing else. */
export function writeIdentity(sessionFile: string, identity: SessionIdentity): void {
  const text = readPrivateFile(sessionFile);
  replacePrivateFile(
    sessionFile,
    text
      .replace(lineOf('PARTICIPANT_ID'), () => exportLine('PARTICIPANT_ID', identity.participantId))
      .replace(lineOf('MY_NAME'), () => exportLine('MY_NAME', identity.name)),
  );
}

// Sourced as shell text: a quote or a line break in a value would be run as commands.
function exportLine(name: string, value: string): string {
  if (/['\p{Cc}]/u.test(value)) throw new ShellError(`${name} cannot stand in a session file`);
  return `export ${name}='${value}'`;
}

function exported(text: string, name: string): string {
  return lineOf(name).exec(text)?.[1] ?? '';
}

function lineOf(name: string): RegExp {
  return new RegExp(`^export ${name}='([^'\\n]*)'$`, 'm');
}
