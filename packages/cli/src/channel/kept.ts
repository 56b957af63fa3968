import { CliError } from '../cli-error.ts';
import { Page } from '../memory/page.ts';
import { type Column, showTable } from '../memory/table.ts';
import { terminalOf } from '../memory/terminal.ts';
import { printJson, printLine, printNote, printPage } from '../output.ts';
import { channelState, type ChannelState } from './channel-state.ts';
import { fitting, theOnly } from './choose.ts';
import { type SavedSession, SessionStore, sessionFolder } from './session-store.ts';

interface Kept {
  saved: SavedSession;
  state: ChannelState;
}

const COLUMNS: readonly Column[] = [
  { title: 'CHANNEL', rank: 0 },
  { title: 'NAME', rank: 1 },
  { title: 'STATE', rank: 2 },
  { title: 'SERVER', rank: 3 },
];

export async function listChannels(options: { json?: boolean | undefined }): Promise<void> {
  const kept = await withStates(new SessionStore(sessionFolder(process.env)).list());
  const sessions = kept.map(({ saved: { identity, path }, state }) => ({
    channel_id: identity.channelId,
    name: identity.name,
    server: identity.server,
    state,
    session_file: path,
  }));
  if (options.json) return sessions.forEach(printJson);
  if (sessions.length === 0) return printNote('no channel is joined; "parley channel create" makes one');
  const page = new Page(terminalOf(process.stdout, process.env));
  showTable(
    page,
    COLUMNS,
    sessions.map(({ channel_id: id, name, state, server }) => ({
      cells: [{ text: id }, { text: name }, { text: state }, { text: server }],
    })),
  );
  printPage(page);
  if (sessions.some(({ state }) => state === 'gone'))
    printNote('"parley channel forget --gone" forgets those that are gone');
}

export interface ForgetOptions {
  gone?: boolean | undefined;
  channel?: string | undefined;
  json?: boolean | undefined;
}

export async function forgetChannels(name: string | undefined, options: ForgetOptions): Promise<void> {
  const { gone, channel, json } = options;
  const store = new SessionStore(sessionFolder(process.env));
  if (!gone && name === undefined && channel === undefined) {
    throw new CliError('usage', 'parley: say which channel to forget', {
      hint: 'by your name in it, with --channel, or all that have ended with --gone',
    });
  }
  const fits = fitting(store, { name, channel });
  // Its key is kept nowhere else: one that may live is only forgotten when it alone is meant.
  const forgotten = gone ? await thoseGone(fits) : [theOnly(store, fits)];
  for (const saved of forgotten) saved.remove();
  const told = forgotten.map(({ identity }) => ({ channel_id: identity.channelId, name: identity.name }));
  if (json) return told.forEach(printJson);
  if (told.length === 0) return printNote('none of the kept channels is gone');
  for (const each of told) printLine(`forgot channel=${each.channel_id} name=${each.name}`);
}

async function thoseGone(sessions: readonly SavedSession[]): Promise<SavedSession[]> {
  const kept = await withStates(sessions);
  const silent = kept
    .filter(({ state }) => state === 'unreachable')
    .map(({ saved }) => saved.identity.server);
  if (silent.length > 0)
    printNote(`kept ${silent.length} whose server does not answer: ${[...new Set(silent)].join(' ')}`);
  return kept.filter(({ state }) => state === 'gone').map(({ saved }) => saved);
}

function withStates(sessions: readonly SavedSession[]): Promise<Kept[]> {
  return Promise.all(sessions.map(async (saved) => ({ saved, state: await channelState(saved.identity) })));
}
