import { MAX_INLINE_BODY_BYTES } from '@parley/protocol/delivery/limits';
import type { EventType } from '@parley/protocol/delivery/vocabulary';
import type { Reader } from '../../platform/database/database.ts';
import type { Json } from '../../wire/delivery/signed-json.ts';
import { iso } from '../../wire/delivery/times.ts';
import { messagesById } from '../records/message-store.ts';
import type { EventRow } from './event-store.ts';

type Payload = Readonly<Record<string, Json>>;

/** What we stored ourselves. */
const payloadOf = ({ payload }: EventRow): Payload => JSON.parse(payload) as Payload;

/** Events as they are told, with the text of their messages where it was asked for. */
export async function toldEvents(
  reader: Reader,
  events: readonly EventRow[],
  wantsBody: (type: EventType) => boolean,
) {
  const ids = events.flatMap(({ message_id: id, event_type: type }) =>
    id !== null && wantsBody(type) ? [id] : [],
  );
  const messages = await messagesById(reader, ids);
  return events.map((event) => {
    const message = wantsBody(event.event_type) ? messages.get(event.message_id ?? '') : undefined;
    const payload = message ? { ...payloadOf(event), ...inlined(message.body) } : payloadOf(event);
    return { id: event.id, event_type: event.event_type, payload, emitted_at: iso(event.emitted_at) };
  });
}

function inlined(body: string): Payload {
  const size = Buffer.byteLength(body);
  if (size <= MAX_INLINE_BODY_BYTES) return { body };
  return { body_omitted: 'size_too_large', body_size_bytes: size };
}
