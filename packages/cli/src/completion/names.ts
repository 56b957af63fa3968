import { CredentialsFile, credentialsPath } from '../agent/credentials-file.ts';
import { serverUrl } from '../agent/server-call.ts';
import { knownRooms } from '../room/known-rooms.ts';

/** A person waits at the tab key. */
const PATIENCE_MS = 1_500;

/** The names that can be meant by an argument of this name. */
export async function namesFor(argument: string, given: string): Promise<string[]> {
  const server = serverUrl(given);
  const file = new CredentialsFile(credentialsPath(process.env));
  if (argument === 'name') return file.all().map(({ name }) => name);
  if (argument === 'room') return knownRooms(server);
  const key = file.of(server)?.api_key;
  if (key === undefined) return [];
  if (['agent', 'to', 'peer'].includes(argument)) {
    const { agents } = await ask<{ agents: { slug: string }[] }>(server, key, '/v1/agents?limit=100');
    return agents.map(({ slug }) => slug);
  }
  if (argument === 'subject') {
    const { capsules } = await ask<{ capsules: { subject_kind: string; subject_id: string }[] }>(
      server,
      key,
      '/v1/continuity/list',
      {},
    );
    return capsules.map(({ subject_kind: kind, subject_id: id }) => `${kind}/${id}`);
  }
  if (argument === 'cue') {
    const { cues } = await ask<{ cues: { name: string }[] }>(server, key, '/v1/cues?limit=100');
    return cues.map(({ name }) => name);
  }
  return [];
}

async function ask<Answer>(server: string, key: string, path: string, body?: object): Promise<Answer> {
  const answer = await fetch(server + path, {
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    redirect: 'error',
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  if (!answer.ok) throw new Error(`answered ${answer.status}`);
  // An answer of this route, whose shape is part of the protocol.
  return (await answer.json()) as Answer;
}
