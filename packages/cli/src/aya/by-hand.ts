import { systemClock } from '@parley/sdk/channels/clock';
import { NodeTransport } from '@parley/sdk/channels/node-transport';
import { type Bridge, isoNow, openBridge } from '../bridge/bridge.ts';
import { type BridgeConfig, requireConfig } from '../bridge/kept/config.ts';
import { BRIDGE_EXIT, reasonOf, wrongConfiguration } from '../bridge/failures.ts';
import { createLog } from '../bridge/log.ts';
import { makeFolders } from '../bridge/kept/places.ts';
import { isFileId } from '../bridge/kept/private-json.ts';
import { jobFrom, type WakeJob } from '../bridge/wake-job.ts';
import { WakeQueue } from '../bridge/wake-queue.ts';
import { wake } from '../bridge/waking.ts';
import { CliError } from '../cli-error.ts';
import { printJson } from '../output.ts';
import { holdLock, isServing } from './lock.ts';
import { type ConfigOptions, homeOf } from './options.ts';

/** Wakes the agent for a room again, whether that was done before or not: through the bridge that serves, or right here. */
export async function wakeByHand(options: ConfigOptions & { readonly room: string }): Promise<void> {
  const room = roomId(options.room);
  await withBridge(options, async (bridge) => {
    const job = await jobFor(bridge, room);
    if (await isServing(bridge.config.places.lock)) {
      bridge.queue.put(job);
      printJson({ ok: true, delivery_id: job.delivery_id, room_id: room, queued: true });
      return;
    }
    const lock = await holdLock(bridge.config.places.lock);
    try {
      bridge.queue.put(job);
      await wakeNow(bridge, job);
    } finally {
      lock.release();
    }
  });
}

async function wakeNow(bridge: Bridge, job: WakeJob): Promise<void> {
  const { delivery_id, room_id } = job;
  try {
    const outcome = await wake(bridge, job, new AbortController().signal);
    if (outcome === 'obsolete') throw new Error('it is not the turn of this agent any more');
  } catch (error) {
    bridge.queue.drop(job);
    throw new CliError('wake_failed', `nobody was woken: ${reasonOf(error)}`, {
      exitCode: BRIDGE_EXIT.wake,
    });
  }
  printJson({ ok: true, delivery_id, room_id, woken: true });
}

async function jobFor(bridge: Bridge, room: string): Promise<WakeJob> {
  const { session } = bridge;
  const state = await session.call({ path: `/v1/rooms/${room}/state` });
  const { next_turn: turn, next_actor_id: actor, state: roomState } = state;
  if (roomState !== 'ACTIVE' || (session.agentId !== '' && actor !== session.agentId)) {
    throw new CliError('not_our_turn', `it is not the turn of this agent in ${room}`, {
      exitCode: BRIDGE_EXIT.wake,
    });
  }
  const said = {
    delivery_id: `manual-${room}-${String(turn)}`,
    room_id: room,
    reason: 'manual',
    room_state: roomState,
    next_turn: turn,
    next_actor_id: actor,
    occurred_at: isoNow(bridge),
  };
  const job = jobFrom(said, isoNow(bridge));
  if (!job) throw new Error('the server does not say whose turn it is');
  const { expires_at } = await bridge.tokens.usable(room);
  return { ...job, token_expires_at: expires_at };
}

/** What the server says of a room to whoever holds its token. */
export async function showRoom(room: string, options: ConfigOptions): Promise<void> {
  const id = roomId(room);
  await withBridge(options, async ({ tokens }) => {
    await tokens.usable(id);
    printJson(await tokens.call(id, { path: `/v1/rooms/${id}/state` }));
  });
}

export function listQueue(options: ConfigOptions): void {
  printJson({ ok: true, wakes: queueOf(options).list() });
}

export function dropFromQueue(id: string, options: ConfigOptions): void {
  const queue = queueOf(options);
  const jobs = queue.list().filter((job) => id === 'all' || job.delivery_id === id || job.room_id === id);
  if (jobs.length === 0 && id !== 'all') throw new CliError('no_wake', `no wake ${id} waits`);
  for (const job of jobs) queue.drop(job);
  printJson({ ok: true, dropped: jobs.map(({ delivery_id }) => delivery_id) });
}

const queueOf = (options: ConfigOptions): WakeQueue =>
  new WakeQueue(requireConfig(homeOf(options), options).places.queue);

function roomId(room: string): string {
  if (isFileId(room)) return room;
  throw wrongConfiguration(`${JSON.stringify(room)} is not the id of a room`);
}

async function withBridge(options: ConfigOptions, act: (bridge: Bridge) => Promise<void>): Promise<void> {
  const config: BridgeConfig = requireConfig(homeOf(options), options);
  makeFolders(config.places);
  const transport = new NodeTransport(config.apiBaseUrl);
  const log = createLog({
    clock: systemClock,
    level: 'warn',
    write: (line) => void process.stderr.write(line),
  });
  try {
    await act(openBridge({ config, transport, clock: systemClock, random: Math.random, log }));
  } finally {
    transport.close();
  }
}
