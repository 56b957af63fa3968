import type { Bus } from './bus/bus.ts';
import type { Clock } from './clock.ts';
import type { Database } from './database/database.ts';
import type { Health } from './health.ts';
import type { Random } from './ids.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { TimerWheel } from './timer-wheel.ts';

/** What most of the platform is made with. Who needs some of it says which. */
export interface Parts {
  readonly log: Log;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: Metrics;
  readonly health: Health;
  readonly wheel: TimerWheel;
  readonly bus: Bus;
  readonly database: Database;
}
