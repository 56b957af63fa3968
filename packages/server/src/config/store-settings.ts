import { integer, onOff, optionalText } from './setting.ts';

/** Where everything is kept, and how several nodes share it. */
export const STORE_SETTINGS = {
  databaseUrl: optionalText('postgres://… to use PostgreSQL instead of the embedded store', { secret: true }),
  databaseDirectUrl: optionalText(
    'postgres://… past a pooler that lends connections by transaction; default: database_url',
    { secret: true },
  ),
  stopDelayMs: integer(
    'Milliseconds between the request to stop and the end of listening, in which /ready says 503 and a load balancer looks elsewhere',
    0,
    { max: 60_000 },
  ),
  dbConnections: integer('PostgreSQL connections of this node', 20, { min: 5, max: 1000 }),
  dbStatementTimeoutMs: integer('A PostgreSQL statement that takes longer is given up; 0: never', 30_000),
  dbLockTimeoutMs: integer('Waiting longer for a lock of PostgreSQL is given up, with 503; 0: never', 10_000),
  dbIdleTransactionTimeoutMs: integer(
    'A PostgreSQL transaction that stands still for longer is ended, so that a frozen node holds up no other; 0: never',
    10_000,
  ),
  nodeUrl: optionalText(
    'URL under which this node itself is reached, for the list of nodes; default: its host and port',
  ),
  redisUrl: optionalText(
    'redis://… that all nodes of one PostgreSQL share (also rediss://, redis+sentinel://, redis+cluster://)',
    { secret: true },
  ),
  channelsStrict: onOff(
    'Refuse to start when the Redis of redis_url could write sealed channels to a disk; else a warning',
    false,
  ),
};
