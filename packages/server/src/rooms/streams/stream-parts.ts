import type { CredentialWatch } from '../../identity/keys/credential-watch.ts';
import type { Slots } from '../../platform/limits/slots.ts';
import type { SseFace } from '../../platform/streams/sse.ts';
import type { StreamEvent } from '../../platform/streams/stream-event.ts';
import type { Topics } from '../../platform/streams/topics.ts';
import type { RoomsService } from '../service.ts';
import type { StreamTelemetry } from './telemetry.ts';

/** What streams of one kind have in common. */
export interface StreamParts<Event extends StreamEvent> {
  readonly rooms: RoomsService;
  readonly topics: Topics<Event>;
  readonly face: SseFace;
  readonly watch: CredentialWatch;
  /** Those that are open: by agent and room, by agent, or by viewer. */
  readonly slots: Slots;
  readonly telemetry: StreamTelemetry;
}
