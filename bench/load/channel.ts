import { type Connection, rawRequest } from './connection.ts';

export interface BenchChannel {
  readonly id: string;
  readonly token: string;
  readonly participants: readonly string[];
}

/** A channel with `size` participants. */
export async function openChannel(connection: Connection, size: number): Promise<BenchChannel> {
  const created = await json(connection, rawRequest('POST', '/channels', {}));
  const { channel_id: id, token } = created as { channel_id: string; token: string };
  const participants: string[] = [];
  for (let index = 0; index < size; index++) {
    participants.push(await joinChannel(connection, id, token, `agent ${index}`));
  }
  return { id, token, participants };
}

/** The participant id. */
export async function joinChannel(
  connection: Connection,
  id: string,
  token: string,
  name: string,
): Promise<string> {
  const joined = await json(connection, rawRequest('POST', `/channels/${id}/join`, { token, name }));
  return (joined as { participant_id: string }).participant_id;
}

export function sendRequest({ id, token, participants }: BenchChannel, text: string): string {
  return rawRequest('POST', `/channels/${id}/send`, { token, participant_id: participants[0], text });
}

export function pollRequest(
  { id, token, participants }: BenchChannel,
  participant: number,
  since: number,
): string {
  return rawRequest(
    'GET',
    `/channels/${id}/poll?token=${token}&participant_id=${participants[participant]}&since=${since}`,
  );
}

async function json(connection: Connection, raw: string): Promise<unknown> {
  const { status, body } = await connection.request(raw);
  if (status !== 200) throw new Error(`unexpected answer ${status}: ${body}`);
  return JSON.parse(body);
}
