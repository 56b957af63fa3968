import { loadConfig } from '../../config/load.ts';
import { createContinuityService } from '../../continuity/create-module.ts';
import { baseCapsule } from '../../continuity/testing/base-capsule.ts';
import type { Caller } from '../../wire/caller.ts';
import { systemClock } from '../../platform/clock.ts';
import { type DatabaseLocation, openDatabase } from '../../platform/database/open-database.ts';
import { systemRandom } from '../../platform/ids.ts';
import { Jobs } from '../../platform/jobs/jobs.ts';
import { createLog } from '../../platform/log.ts';
import { EventLog, type LoggedEvent } from '../../platform/streams/event-log.ts';
import { StreamHub } from '../../platform/streams/hub.ts';
import { throwLater, TimerWheel } from '../../platform/timer-wheel.ts';

/**
 * Upserts the capsules `s0 … sN` over and over, each write with a later time, and prints `acked sN <number>` for each
 * that was acknowledged. Arguments: location as JSON, number of subjects, first number. Runs until it is killed.
 */
const [location = '', subjects = '1', first = '1'] = process.argv.slice(2);
const database = await openDatabase(JSON.parse(location) as DatabaseLocation);
const log = createLog({ level: 'silent', secretPrefixes: [], stream: { write: () => {} } });
const hub = new StreamHub<LoggedEvent>({ wheel: new TimerWheel(systemClock), onError: throwLater });
const { config } = loadConfig({ cwd: process.cwd() });
const continuity = createContinuityService({
  cluster: { others: () => [] },
  config,
  clock: systemClock,
  database,
  events: new EventLog({ db: database, hub, random: systemRandom }),
  jobs: new Jobs({ database, clock: systemClock, random: systemRandom, log }),
  log,
});
const caller: Caller = {
  ownerId: 'owner',
  ownerSlug: 'owner',
  plan: 'self_hosted',
  agent: undefined,
  credential: { kind: 'api_key', id: 'k', expiresAt: null },
  keyId: 'k',
  keyPrefix: 'k',
  scopes: ['admin:peers'],
  readNamespaces: ['*'],
  writeNamespaces: ['*'],
};

async function writer(id: string): Promise<void> {
  for (let number = Number(first); ; number++) {
    const at = new Date(Date.UTC(2026, 0, 1) + number * 1000).toISOString();
    const capsule = baseCapsule('thread', id, at, {
      continuity: { open_loops: [`number ${number}`], drift_signals: ['x'.repeat(number % 160)] },
      thread_descriptor: { label: `Thread ${number % 7}`, keywords: [`k${number % 5}`] },
    });
    await continuity.call('continuity.upsert', caller, { subject_kind: 'thread', subject_id: id, capsule });
    process.stdout.write(`acked ${id} ${number}\n`);
  }
}

await Promise.all(Array.from({ length: Number(subjects) }, (_, index) => writer(`s${index}`)));
