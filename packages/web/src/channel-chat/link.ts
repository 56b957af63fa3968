import { parseKey } from '@parley/protocol/channels/key';
import { cutUnits } from '@parley/protocol/channels/names';

const LONGEST_TOPIC = 80;

/** What the opened link says. The fragment never leaves the browser; id and token come from the page itself. */
export interface Link {
  readonly channel: string;
  readonly token: string;
  /** 64 hex digits; null when the link has no key or not a whole one. */
  readonly key: string | null;
  readonly name: string;
  readonly topic: string;
}

export function readLink(data: DOMStringMap, hash: string): Link {
  const fragment = new URLSearchParams(hash.replace(/^#/, ''));
  return {
    channel: data.channel ?? '',
    token: data.token ?? '',
    key: keyOrNull(fragment.get('k') ?? ''),
    name: fragment.get('n') ?? '',
    topic: cutUnits((fragment.get('t') ?? '').trim(), LONGEST_TOPIC),
  };
}

function keyOrNull(text: string): string | null {
  try {
    return parseKey(text);
  } catch {
    return null;
  }
}
