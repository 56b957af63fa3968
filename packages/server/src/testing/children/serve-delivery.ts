import { SECRET_PREFIXES } from '@parley/protocol/secret-prefixes';
import type { AddressInfo } from 'node:net';
import { loadConfig } from '../../config/load.ts';
import type { Config } from '../../config/settings.ts';
import { createContext } from '../../context.ts';
import { deliveryRoutes } from '../../delivery/routes/delivery-routes.ts';
import { identityRoutes } from '../../identity/routes/identity-routes.ts';
import { createHttpServer } from '../../platform/http/server.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { createLog } from '../../platform/log.ts';
import { type Death, dieBy } from '../death.ts';

/**
 * The real server with the routes of identity and delivery, on a free port. Arguments: settings as JSON, how many
 * milliseconds its clock is ahead, and how it dies, as JSON. Prints its URL, then runs until it does, or is killed.
 */
const settings = JSON.parse(process.argv[2] ?? '{}') as Partial<Config>;
const { config } = loadConfig({ cwd: settings.dataDir ?? '.' });
const log = createLog({
  level: 'error',
  secretPrefixes: SECRET_PREFIXES,
  stream: { write: (line) => void process.stderr.write(line) },
});
const ahead = Number(process.argv[3] ?? 0);
const clock: Clock = {
  ...systemClock,
  now: () => systemClock.now() + ahead,
  at: (time, fn) => systemClock.at(time - ahead, fn),
};
const context = await createContext({ ...config, ...settings }, { log, clock });
dieBy(context.database, JSON.parse(process.argv[4] ?? '{}') as Death);
const app = createHttpServer(context);
await app.register(async (scope) => identityRoutes(scope, context));
await app.register(async (scope) =>
  deliveryRoutes(scope, context, { service: 'parley', version: '0', contract_version: '1' }),
);
await context.start();
await app.listen({ host: '127.0.0.1', port: 0 });
const { port } = app.server.address() as AddressInfo;
process.stdout.write(`http://127.0.0.1:${port}\n`);
