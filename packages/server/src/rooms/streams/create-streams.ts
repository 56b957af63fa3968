import { DELIVERY_BATCH, KEEPALIVE_MS, REAUTHENTICATE_MS } from '@parley/protocol/rooms/limits';
import { limitOf, type NumberSetting } from '../../config/settings.ts';
import type { IdentityService } from '../../identity/service.ts';
import type { Slots } from '../../platform/limits/slots.ts';
import { SseFace } from '../../platform/streams/sse.ts';
import { Topics } from '../../platform/streams/topics.ts';
import type { Platform } from '../../platform.ts';
import { readRoomEvents } from '../room/events.ts';
import type { TurnWake, RoomEvent, RoomsService } from '../service.ts';
import { pendingFor } from '../turn-wakes/deliveries.ts';
import type { AgentStreams } from './agent-streams.ts';
import { CredentialWatch } from '../../identity/keys/credential-watch.ts';
import type { StreamParts } from './stream-parts.ts';
import { streamTelemetry } from './telemetry.ts';
import { ViewerStreams } from './viewer-streams.ts';
import type { WakeFeeds } from '../../wire/wake-feed.ts';

/** The three streams of the rooms protocol. */
export interface RoomsStreams {
  readonly rooms: StreamParts<RoomEvent>;
  readonly agents: AgentStreams;
  readonly viewers: ViewerStreams;
  /** Ends every stream, for a server that stops. */
  close(): void;
}

export function createRoomsStreams(
  platform: Platform,
  identity: IdentityService,
  rooms: RoomsService,
  feeds: WakeFeeds = {},
): RoomsStreams {
  const { config, limits, log, metrics, wheel } = platform;
  const onError = log.failed('room_stream_failed');
  const slots = (name: string, setting: NumberSetting): Slots =>
    limits.slots(`rooms.${name}`, limitOf(config, setting));
  const { announced } = rooms;
  // Shared by the agents and the people that listen to a room.
  const roomTopics = new Topics<RoomEvent>({
    ...platform,
    noun: 'room',
    read: (roomId, after, limit) => readRoomEvents(rooms, roomId, after, limit),
    onError,
  });
  // The store shows only what is still pending, so sequences have holes where something was acknowledged or superseded; a
  // stream that meets one reads on from its own position and finds that nothing is missing.
  const agentTopics = new Topics<TurnWake>({
    ...platform,
    noun: 'agent',
    pageSize: DELIVERY_BATCH,
    read: (agent, after, limit) => pendingFor(rooms, agent, after, limit),
    onError,
  });
  const leave = [
    announced.events.add((event) => roomTopics.publish(event.roomId, event)),
    announced.deliveries.add((delivery) => agentTopics.publish(delivery.agent, delivery)),
  ];
  const watch = new CredentialWatch({ identity, wheel, everyMs: REAUTHENTICATE_MS, onError });
  const shared = {
    ...platform,
    rooms,
    face: new SseFace({ wheel, keepaliveMs: KEEPALIVE_MS }),
    telemetry: streamTelemetry(metrics),
    watch,
    onError,
  };
  const viewers = new ViewerStreams({
    ...shared,
    topics: roomTopics,
    slots: slots('viewer_streams', 'rlViewerStreams'),
  });
  return {
    rooms: { ...shared, topics: roomTopics, slots: slots('event_streams', 'rlRoomEventStreams') },
    agents: { ...shared, topics: agentTopics, feeds, slots: slots('agent_streams', 'rlAgentStreams') },
    viewers,
    close() {
      for (const stop of leave) stop();
      roomTopics.close();
      agentTopics.close();
      viewers.close();
      watch.close();
    },
  };
}
