import { MAX_CLIENT_ID_UNITS, MAX_TEXT_UNITS } from '@parley/protocol/channels/limits';
import { ChannelError } from './errors.ts';

export function isText(text: unknown): text is string {
  return typeof text === 'string' && text !== '' && text.length <= MAX_TEXT_UNITS;
}

/** What is wrong with a text that is none. */
export const textError = (text: unknown): ChannelError =>
  new ChannelError(typeof text === 'string' && text !== '' ? 'text_too_large' : 'empty_text');

/** What stands in JSON as it is, a byte for each unit. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** The text as JSON, and its bytes there. Sealed texts are base64: finding that nothing is to be escaped takes less than escaping. */
export function quoted(text: string): readonly [json: string, bytes: number] {
  if (PLAIN.test(text)) return [`"${text}"`, text.length];
  const json = JSON.stringify(text);
  return [json, Buffer.byteLength(json) - '""'.length];
}

/** Anything else a client gives is ignored: such a send cannot be repeated. */
export function isClientId(clientId: unknown): clientId is string {
  return typeof clientId === 'string' && clientId !== '' && clientId.length <= MAX_CLIENT_ID_UNITS;
}
