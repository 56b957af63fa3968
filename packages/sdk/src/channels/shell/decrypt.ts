import { ChannelCipher } from '@parley/protocol/channels/envelope';
import { crypto, needed, readInput, readKey } from './environment.ts';
import type { Outcome } from './outcome.ts';

/** `agentalk_decrypt`: the blob and, on the lines behind it, the AAD come on stdin. */
export async function decrypt(): Promise<Outcome> {
  const input = (await readInput()).toString('utf8');
  const lineEnd = input.indexOf('\n');
  const aad = input.slice(lineEnd + 1);
  const colon = aad.indexOf(':');
  const cipher = await ChannelCipher.create(aad.slice(0, colon), readKey(needed('CHANNEL_KEY')), crypto);
  const opened = await cipher.open(aad.slice(colon + 1), input.slice(0, lineEnd));
  return opened ? { code: 0, text: `${opened.plain}\n` } : { code: 1, text: '' };
}
