import { PREVIEW_UNITS } from './limits.ts';
import { cutUnits } from './names.ts';

/** What happened in a channel, as told to the agent that listens. */
export type ChannelEvent =
  | { type: 'paired'; name: string }
  | { type: 'welcomed'; name: string }
  | { type: 'human_joined'; name: string; resumed: boolean }
  | ChannelMessage
  | { type: 'decrypt_fail'; from: string }
  /** A message that was received before came again: dropped. */
  | { type: 'replayed'; from: string }
  /** Messages of this sender never arrived. */
  | { type: 'gap'; from: string; missing: number }
  | { type: 'peer_left'; name: string; human: boolean }
  | { type: 'peer_stale'; name: string; unseen: number }
  | { type: 'peer_back'; name: string }
  | { type: 'key_mismatch'; name: string }
  | { type: 'key_unverified'; name: string }
  | { type: 'resumed'; channel: string; name: string }
  | { type: 'rejoin_failed'; error: string }
  | { type: 'system'; reason: string };

export interface ChannelMessage {
  type: 'message';
  kind: 'broadcast' | 'dm';
  from: string;
  human: boolean;
  /** How many messages are joined in `text`: more than one only for a person writing in a burst. */
  count: number;
  text: string;
  /** Where the whole text was written. */
  file: string;
}

export function eventLine(event: ChannelEvent): string {
  return `agentalk: ${words(event)}`;
}

function words(event: ChannelEvent): string {
  switch (event.type) {
    case 'paired':
      return `PAIRED with ${cleanName(event.name)}`;
    case 'welcomed':
      return `WELCOMED ${cleanName(event.name)}`;
    case 'human_joined':
      return `HUMAN_JOINED name=${cleanName(event.name)} resumed=${event.resumed ? 1 : 0}`;
    case 'message':
      return messageWords(event);
    case 'decrypt_fail':
      return `DECRYPT_FAIL from=${cleanName(event.from)}`;
    case 'replayed':
      return `REPLAYED from=${cleanName(event.from)}`;
    case 'gap':
      return `GAP from=${cleanName(event.from)} missing=${event.missing}`;
    case 'peer_left':
      return `PEER_LEFT name=${cleanName(event.name)}${event.human ? ' human=1' : ''}`;
    case 'peer_stale':
      return `PEER_STALE name=${cleanName(event.name)} unseen=${event.unseen}s`;
    case 'peer_back':
      return `PEER_BACK name=${cleanName(event.name)}`;
    case 'key_mismatch':
      return `KEY_MISMATCH name=${cleanName(event.name)}`;
    case 'key_unverified':
      return `KEY_UNVERIFIED name=${cleanName(event.name)}`;
    case 'resumed':
      return `RESUMED channel=${event.channel} name=${cleanName(event.name)}`;
    case 'rejoin_failed':
      return `REJOIN_FAILED error=${oneLine(event.error)}`;
    case 'system':
    default:
      return `SYSTEM ${oneLine(event.reason)}`;
  }
}

function messageWords(message: ChannelMessage): string {
  const kind = message.kind === 'dm' ? 'DM' : 'BROADCAST';
  const human = message.human ? ` human=1 msgs=${message.count}` : '';
  const bytes = new TextEncoder().encode(message.text).length;
  return `${kind} from=${cleanName(message.from)}${human} bytes=${bytes} file=${message.file} preview=${preview(message.text)}`;
}

// Everything that could start a new line, move the cursor or turn the reading direction. The joiners U+200C and U+200D
// stay: scripts and emoji need them.
const UNSAFE = /[\p{Cc}\u2028\u2029\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** A name as it stands in a line: it can neither end the line nor forge a field. */
export function cleanName(name: string): string {
  return cutUnits(name.replace(UNSAFE, '').replace(/\s/g, ''), 64);
}

export function preview(text: string): string {
  return cutUnits(oneLine(text.slice(0, 2 * PREVIEW_UNITS)), PREVIEW_UNITS);
}

function oneLine(text: string): string {
  return text.replace(UNSAFE, ' ');
}
