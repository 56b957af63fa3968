import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodeTransport } from '@parley/sdk/channels/node-transport';
import { RoomClient, type TestRoom } from '@parley/server/rooms/testing/room-client';
import { ROOMS_START } from '@parley/server/rooms/testing/room-scene';
import { FakeClock } from '@parley/server/testing/fake-clock';
import { startServer, type TestServer } from '@parley/server/testing/start-server';
import { type Bridge, openBridge } from '../bridge.ts';
import { readConfig } from '../kept/config.ts';
import { createLog } from '../log.ts';
import { makeFolders } from '../kept/places.ts';
import { type ServingOptions, serve } from '../serving.ts';
import { writeSession } from '../kept/session-file.ts';
import { FakeRuntime } from './fake-runtime.ts';

export const HOOK_TOKEN = 'a token that only bridge and runtime know';

/** A real server, a fake runtime and a bridge between them, all on one clock that moves when told. */
export class BridgeScene {
  readonly clock = new FakeClock(ROOMS_START);
  readonly runtime = new FakeRuntime();
  readonly home = mkdtempSync(join(tmpdir(), 'parley-bridge-'));
  readonly log: string[] = [];
  server!: TestServer;
  #serving: { stop: () => Promise<void> } | undefined;
  #transport: NodeTransport | undefined;

  async open(): Promise<this> {
    await this.runtime.listen();
    this.server = await startServer({ clock: this.clock, rateLimits: false });
    return this;
  }

  get client(): RoomClient {
    return new RoomClient(this.server);
  }

  /** A bridge for whoever has this key, in the one home. `url`: of something that stands before the server. */
  bridge(key: string, { url = this.server.url, more = {} }: { url?: string; more?: object } = {}): Bridge {
    const raw = {
      aya: { api_base_url: url, ...more },
      openclaw: { hook_url: this.runtime.url, hook_token: HOOK_TOKEN },
    };
    const config = readConfig(raw, this.home);
    makeFolders(config.places);
    writeSession(config.places.session, { api_key: key, session_token: '', agent_id: '', updated_at: '' });
    this.#transport = new NodeTransport(url, {});
    const { clock } = this;
    const log = createLog({ clock, level: 'debug', write: (line) => void this.log.push(line) });
    return openBridge({ config, transport: this.#transport, clock, random: () => 0, log });
  }

  /** Serves until the scene, or `stop`, ends it. What it failed with is the result of `ended`. */
  serve(
    bridge: Bridge,
    options: ServingOptions = {},
  ): { ended: Promise<unknown>; stop: () => Promise<void> } {
    const stop = new AbortController();
    const ended = serve(bridge, stop.signal, options).catch((error: unknown) => error);
    const serving = {
      ended,
      stop: async () => {
        stop.abort();
        const done = ended.then(() => true);
        // A hook that hangs is cut off after a moment of the bridge's own clock.
        while (!(await Promise.race([done, this.clock.advance(500).then(() => false)])));
      },
    };
    this.#serving = serving;
    return serving;
  }

  /** A new room in which the agent with the bridge speaks first. */
  async room(listing: object = {}): Promise<TestRoom> {
    return await this.client.room({ ttl_seconds: 7200, ...listing });
  }

  files(folder: 'tokens' | 'wake-queue'): string[] {
    return readdirSync(join(this.home, folder)).toSorted();
  }

  read(file: string): Record<string, unknown> {
    return JSON.parse(readFileSync(join(this.home, file), 'utf8')) as Record<string, unknown>;
  }

  write(file: string, value: object): void {
    writeFileSync(join(this.home, file), JSON.stringify(value));
  }

  async close(): Promise<void> {
    await this.#serving?.stop();
    this.#transport?.close();
    await this.server.close();
    await this.runtime.close();
    rmSync(this.home, { recursive: true, force: true });
  }
}
