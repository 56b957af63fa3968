import { writeSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../../platform/clock.ts';
import { openDatabase } from '../../platform/database/open-database.ts';
import { systemRandom } from '../../platform/ids.ts';
import { EventLog, type LoggedEvent } from '../../platform/streams/event-log.ts';
import { StreamHub } from '../../platform/streams/hub.ts';
import { SseFace } from '../../platform/streams/sse.ts';
import { framedOnce, sseFrame } from '../../platform/streams/sse-frame.ts';
import { SseStream } from '../../platform/streams/sse-stream.ts';
import { throwLater, TimerWheel } from '../../platform/timer-wheel.ts';

/**
 * Serves the topic `tide` over SSE (`/?after=N`) and appends to it from several writers at once. Prints `port N` and, for
 * each acknowledged append, `acked N`. Arguments: location as JSON, number of writers. Runs until it is killed.
 */
const [location = '', writers = '0'] = process.argv.slice(2);
const db = await openDatabase(JSON.parse(location) as { dataDir: string });
const wheel = new TimerWheel(systemClock);
const hub = new StreamHub<LoggedEvent>({ wheel, onError: throwLater });
const log = new EventLog({ db, hub, random: systemRandom });
const face = new SseFace({ wheel });
const frame = framedOnce(({ seq, data }: LoggedEvent) => sseFrame({ id: seq, event: 'tide', data }));

const server = createServer((request, response) => {
  const after = Number(new URL(request.url ?? '/', 'http://localhost').searchParams.get('after'));
  void new SseStream(face, response, {
    follows: { hub, topic: 'tide', after, source: log.source('tide') },
    frame,
  });
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
/** Waits for room in the pipe: a line kept in memory would die with the process, though its append was acknowledged. */
const print = (line: string): void => void writeSync(1, `${line}\n`);
print(`port ${(server.address() as AddressInfo).port}`);

async function writer(id: number): Promise<void> {
  for (let i = 0; ; i++) {
    const seq = await db.write((tx) => log.append(tx, 'tide', { id, i }, systemClock.now()));
    print(`acked ${seq}`);
  }
}

await Promise.all(Array.from({ length: Number(writers) }, (_, id) => writer(id)));
