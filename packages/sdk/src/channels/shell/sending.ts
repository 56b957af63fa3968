import { textEnvelope } from '@parley/protocol/channels/content';
import { EnvelopeTooLargeError } from '@parley/protocol/channels/envelope';
import { type JsonObject, parsedObject } from '@parley/protocol/json';
import { presentAddressee } from '../addressee.ts';
import { ChannelError } from '../channel-error.ts';
import { ChannelClient } from '../client.ts';
import type { Identity } from '../identity.ts';
import { openLink } from '../link.ts';
import { putChain, takeChain } from './chain-file.ts';
import { crypto, errorCode, openTransport, ownIdentity, readInput } from './environment.ts';
import type { Outcome } from './outcome.ts';
import { seatStorage } from './rejoin.ts';
import { filePlaces } from './session.ts';

/** `agentalk_say`, `agentalk_dm` and their file variants: the text comes on stdin and is sent unchanged. */
export async function sendText(to?: string): Promise<Outcome> {
  const bytes = await readInput();
  const text = bytes.toString('utf8');
  if (text === '') return failed('empty_text');
  // Sending it anyway would put other characters in place of the ones we could not read.
  if (!Buffer.from(text, 'utf8').equals(bytes)) return failed('not_utf8');
  if (to === undefined) return report(textEnvelope(text));
  const client = new ChannelClient(openTransport());
  return report(textEnvelope(text, await presentAddressee(client, ownIdentity(), to)));
}

/** `agentalk_send`: the envelope itself comes on stdin. */
export async function sendEnvelope(): Promise<Outcome> {
  const envelope = parsedObject((await readInput()).toString('utf8'));
  return envelope ? report(envelope) : failed('envelope_is_not_a_json_object');
}

/** Seals and sends one envelope, numbered by the chain file at `path`; returns its index. */
export async function sendOnce(identity: Identity, envelope: JsonObject, path: string): Promise<number> {
  const link = await openLink({
    transport: openTransport(),
    identity,
    storage: seatStorage(),
    chain: takeChain(path),
    crypto,
  });
  try {
    return (await link.outbox.send(envelope)).index;
  } catch (error) {
    if (!isNotInChannel(error) || !link.seat.adoptStored()) throw error;
    // Another process of this session has joined again since this shell read its variables.
    return (await link.outbox.send(envelope)).index;
  } finally {
    putChain(path, link.chain.state());
  }
}

async function report(envelope: JsonObject): Promise<Outcome> {
  try {
    return {
      code: 0,
      text: `agentalk: SENT index=${await sendOnce(ownIdentity(), envelope, filePlaces().chain)}\n`,
    };
  } catch (error) {
    return { code: 1, text: sendFailedLine(error) };
  }
}

/** Why something could not be sent, as agents read it. */
export function sendFailedLine(error: unknown): string {
  if (error instanceof EnvelopeTooLargeError) return failedLine('text_too_large');
  const evicted = error instanceof ChannelError ? error.evictedReason : undefined;
  return failedLine(`${errorCode(error)}${evicted === undefined ? '' : ` evicted_reason=${evicted}`}`);
}

function isNotInChannel(error: unknown): boolean {
  return error instanceof ChannelError && error.code === 'participant_not_in_channel';
}

function failed(code: string): Outcome {
  return { code: 1, text: failedLine(code) };
}

function failedLine(code: string): string {
  return `agentalk: SEND_FAILED error=${code}\n`;
}
