import { CliError, EXIT } from '../cli-error.ts';
import { channelState } from './channel-state.ts';
import type { SavedSession, SessionStore } from './session-store.ts';

export interface SessionChoice {
  /** Beginning of a channel id. */
  channel?: string | undefined;
  name?: string | undefined;
}

export function fitting(store: SessionStore, choice: SessionChoice): SavedSession[] {
  return store
    .list()
    .filter(
      ({ identity }) =>
        identity.channelId.startsWith((choice.channel ?? '').toLowerCase()) &&
        (choice.name === undefined || identity.name === choice.name),
    );
}

/** The one session that is meant. Channels that have ended do not count as long as another one fits. */
export async function chooseSession(store: SessionStore, choice: SessionChoice): Promise<SavedSession> {
  const all = fitting(store, choice);
  if (all.length < 2) return theOnly(store, all);
  const states = await Promise.all(all.map(({ identity }) => channelState(identity)));
  const left = all.filter((_saved, at) => states[at] !== 'gone');
  if (left.length > 0) return theOnly(store, left);
  throw new CliError('channels_gone', `parley: all ${all.length} channels that fit are over`, {
    exitCode: EXIT.gone,
    hint: '"parley channel forget --gone" forgets them, "parley channel create" makes a new one',
  });
}

/** An error that names the candidates when it is not clear. */
export function theOnly(store: SessionStore, sessions: readonly SavedSession[]): SavedSession {
  const [only] = sessions;
  if (only && sessions.length === 1) return only;
  if (sessions.length === 0) {
    const hint =
      store.list().length > 0 ? '"parley channel list" shows those joined' : 'create one or join one first';
    throw new CliError('no_session', 'parley: no such channel here', { hint });
  }
  const names = sessions.map(({ identity }) => `--channel ${identity.channelId} --name '${identity.name}'`);
  throw new CliError('several_sessions', `parley: ${sessions.length} channels fit`, {
    hint: `say which: ${names.join(' or ')}`,
  });
}
