import type { Clock } from '@parley/sdk/channels/clock';
import type { Transport } from '@parley/sdk/channels/transport';
import type { BridgeConfig } from './kept/config.ts';
import { CutTransport } from './cut-transport.ts';
import type { Log } from './log.ts';
import { RoomTokens } from './kept/room-tokens.ts';
import { Session } from './session.ts';
import { StateFile } from './kept/state-file.ts';
import { TokenFiles } from './kept/token-files.ts';
import { WakeQueue } from './wake-queue.ts';

/** Everything one serving bridge works with. */
export interface Bridge {
  readonly config: BridgeConfig;
  readonly transport: CutTransport;
  readonly session: Session;
  readonly tokens: RoomTokens;
  readonly queue: WakeQueue;
  readonly state: StateFile;
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly log: Log;
}

export interface BridgeParts extends Pick<Bridge, 'config' | 'clock' | 'random' | 'log'> {
  readonly transport: Transport;
}

/** Reads the files; whoever is not logged in is told so here. */
export function openBridge(parts: BridgeParts): Bridge {
  const { config, clock } = parts;
  const transport = new CutTransport(parts.transport);
  const { places, tokenThresholdMs: thresholdMs } = config;
  const session = new Session(places.session, transport, clock);
  const files = new TokenFiles(places.tokens);
  return {
    ...parts,
    transport,
    session,
    tokens: new RoomTokens({ files, session, transport, clock, thresholdMs }),
    queue: new WakeQueue(places.queue),
    state: new StateFile(places.state),
  };
}

export const isoNow = ({ clock }: Pick<Bridge, 'clock'>): string => new Date(clock.now()).toISOString();

/** The room is over: nothing of it is needed again. A wake that is under way ends on its own. */
export function forgetRoom({ tokens, queue, state }: Bridge, room: string): void {
  tokens.files.remove(room);
  queue.dropRoom(room);
  state.forgetRoom(room);
}
