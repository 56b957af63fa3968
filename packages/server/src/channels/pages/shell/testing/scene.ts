import { existsSync, readFileSync } from 'node:fs';
import { helloEnvelope } from '@parley/protocol/channels/content';
import { ChannelCipher } from '@parley/protocol/channels/envelope';
import { type JoinTarget, parseJoinUrl } from '@parley/protocol/channels/join-url';
import { keyFingerprint, newKey } from '@parley/protocol/channels/key';
import type { RosterEntry } from '@parley/protocol/channels/types';
import type { JsonObject } from '@parley/protocol/json';
import { ChannelClient } from '@parley/sdk/channels/client';
import { FetchTransport } from '@parley/sdk/channels/fetch-transport';
import type { ShellDesk, ShellResult, StartedShell } from './shell-desk.ts';

/** What a bootstrap printed, read as an agent reads it. */
export interface ShellSession {
  readonly desk: ShellDesk;
  readonly output: string;
  readonly channel: string;
  readonly name: string;
  readonly sessionFile: string;
  readonly eventsFile: string;
}

export interface InitiatorSession extends ShellSession {
  readonly invitation: JoinTarget;
  readonly joinUrl: string;
}

export async function initiate(
  desk: ShellDesk,
  server: string,
  environment: Record<string, string> = {},
): Promise<InitiatorSession> {
  const result = await desk.run(`. <(curl -fsS '${server}/bootstrap.sh')\n`, environment);
  const session = readSession(desk, result);
  const joinUrl = /^https?:\S+#k=\S+$/m.exec(
    readFileSync(found(result, /^ {2}cat '(.*-share-[0-9a-f].*)'$/m), 'utf8'),
  )?.[0];
  if (joinUrl === undefined) throw new Error('the share message has no join URL');
  return { ...session, joinUrl, invitation: parseJoinUrl(joinUrl) };
}

export function joinScript(joinUrl: string): string {
  const [link = '', key = ''] = joinUrl.split('#k=');
  return `AGENTALK_KEY='${key}'\n. <(curl -fsS '${link.replace('?', '/bootstrap.sh?')}')\n`;
}

export async function join(
  desk: ShellDesk,
  joinUrl: string,
  environment: Record<string, string> = {},
): Promise<ShellSession> {
  return readSession(desk, await desk.run(joinScript(joinUrl), environment));
}

/** Starts the loop with the very command that the bootstrap printed. */
export function startLoop(session: ShellSession, environment: Record<string, string> = {}): StartedShell {
  const command = / {2}(\. '.*\/loop\.sh'\))$/m.exec(session.output)?.[1] ?? '';
  return session.desk.start(`${command}\n`, environment);
}

/** Runs one command in a fresh shell that has sourced the session file. */
export async function inSession(session: ShellSession, command: string): Promise<ShellResult> {
  return await session.desk.run(`. '${session.sessionFile}' && ${command}\n`);
}

/** The loop says so in its debug log once it has its files. */
export function loopIsListening({ channel, name }: ShellSession): boolean {
  const log = `/tmp/agentalk-debug-${channel}-${name}.log`;
  return existsSync(log) && readFileSync(log, 'utf8').includes('loop started');
}

/** Leaves in the name of a session, behind its back. */
export async function leaveAs({ invitation, sessionFile }: InitiatorSession): Promise<void> {
  const { base, channelId, token } = invitation;
  const participant_id = /PARTICIPANT_ID='(.*)'/.exec(readFileSync(sessionFile, 'utf8'))?.[1] ?? '';
  await new ChannelClient(new FetchTransport(base)).leave(channelId, { token, participant_id });
}

/** A channel made through the API, which nobody has joined yet. */
export async function createRoom(base: string): Promise<JoinTarget> {
  const { channel_id, token } = await new ChannelClient(new FetchTransport(base)).create();
  return { base, channelId: channel_id, token, key: newKey() };
}

/** Who is there, as told to a newcomer called `looker`. */
export async function rosterOf({ base, channelId, token, key }: JoinTarget): Promise<RosterEntry[]> {
  const client = new ChannelClient(new FetchTransport(base));
  const answer = await client.join(channelId, { token, name: 'looker', key_fp: await keyFingerprint(key) });
  await client.leave(channelId, { token, participant_id: answer.participant_id });
  return answer.roster ?? [];
}

/** A member that is not a shell: sends and reads through the API. */
export class ApiPeer {
  readonly name: string;
  readonly client: ChannelClient;
  readonly #target: JoinTarget;
  #participantId = '';

  private constructor(target: JoinTarget, name: string) {
    this.#target = target;
    this.name = name;
    this.client = new ChannelClient(new FetchTransport(target.base));
  }

  static async join(target: JoinTarget, name: string, options: { silent?: boolean } = {}): Promise<ApiPeer> {
    const peer = new ApiPeer(target, name);
    const { participant_id } = await peer.client.join(target.channelId, {
      token: target.token,
      name,
      ...(options.silent ? {} : { key_fp: await keyFingerprint(target.key) }),
    });
    peer.#participantId = participant_id;
    return peer;
  }

  /** Returns the blob. */
  async send(envelope: JsonObject): Promise<string> {
    const cipher = await ChannelCipher.create(this.#target.channelId, this.#target.key);
    const blob = await cipher.seal(this.name, JSON.stringify(envelope));
    await this.sendBlob(blob);
    return blob;
  }

  async sendBlob(text: string): Promise<void> {
    const { channelId, token } = this.#target;
    await this.client.send(channelId, { token, participant_id: this.#participantId, text });
  }

  async hello(who: { human?: boolean } = {}): Promise<void> {
    await this.send(helloEnvelope('00ff00ff00ff00ff', who));
  }

  async leave(): Promise<void> {
    const { channelId, token } = this.#target;
    await this.client.leave(channelId, { token, participant_id: this.#participantId });
  }

  /** Every envelope in the log so far, opened. */
  async envelopes(): Promise<{ from: string; envelope: JsonObject | undefined }[]> {
    const { channelId, token, key } = this.#target;
    const cipher = await ChannelCipher.create(channelId, key);
    const page = await this.client.poll(channelId, { token, participant_id: this.#participantId, since: 0 });
    const messages = page.messages.filter((event) => event.type === 'message');
    return await Promise.all(
      messages.map(async ({ from, text }) => ({ from, envelope: (await cipher.open(from, text))?.envelope })),
    );
  }
}

function readSession(desk: ShellDesk, result: ShellResult): ShellSession {
  return {
    desk,
    output: result.stdout,
    channel: found(result, /^READY \w+: channel=([0-9a-f]{32}) /m),
    name: found(result, /^READY \w+: .*?\bname=(\S+)/m),
    sessionFile: found(result, /^ {2}\. '(\S+\.env)' && \. <\(/m),
    eventsFile: found(result, /command: tail -f -n \+1 '(\S+)'$/m),
  };
}

function found(result: ShellResult, pattern: RegExp): string {
  const value = pattern.exec(result.stdout)?.[1];
  if (value === undefined) throw new Error(`${pattern} is not in:\n${result.stdout}${result.stderr}`);
  return value;
}
