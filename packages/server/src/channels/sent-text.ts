import { MAX_CLIENT_ID_UNITS, MAX_TEXT_UNITS } from '@parley/protocol/channels/limits';
import { ChannelError } from './errors.ts';

export function isText(text: unknown): text is string {
  return typeof text === 'string' && text !== '' && text.length <= MAX_TEXT_UNITS;
}

/** What is wrong with a text that is none. */
export const textError = (text: unknown): ChannelError =>
  new ChannelError(typeof text === 'string' && text !== '' ? 'text_too_large' : 'empty_text');

/** Anything else a client gives is ignored: such a send cannot be repeated. */
export function isClientId(clientId: unknown): clientId is string {
  return typeof clientId === 'string' && clientId !== '' && clientId.length <= MAX_CLIENT_ID_UNITS;
}
