import { SECRET_PREFIXES } from '@parley/protocol/secret-prefixes';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../config/load.ts';
import type { Config } from '../../config/settings.ts';
import { StoreClock } from '../../platform/cluster/store-clock.ts';
import { createLog } from '../../platform/log.ts';
import { startParley } from '../../server.ts';
import { clockOff } from '../clock-off.ts';

/** The whole server on a free port. Argument: settings as JSON. Prints its log; stops when it is told to, or is killed. */
const { clockOffMs, ...settings } = JSON.parse(process.argv[2] ?? '{}') as Partial<Config> & {
  clockOffMs?: number;
};
const dataDir = settings.dataDir ?? mkdtempSync(join(tmpdir(), 'parley-node-'));
const { config } = loadConfig({ cwd: dataDir });
const log = createLog({
  level: 'info',
  secretPrefixes: SECRET_PREFIXES,
  stream: { write: (line) => void process.stdout.write(line) },
});
const server = await startParley(
  { ...config, port: 0, dataDir, ...settings },
  { log, ...(clockOffMs !== undefined && { clock: new StoreClock(clockOff(clockOffMs)) }) },
);
void server.stoppedItself?.then(() => process.exit(1));
process.on('SIGTERM', () => void server.stop().then(() => process.exit(0)));
