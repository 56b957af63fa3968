import { loadConfig } from '../../config/load.ts';
import { startParley } from '../../server.ts';

/**
 * A whole server on a store, for as long as it is let: documents are written to it and it is killed in the middle.
 * Arguments: data directory, database URL or nothing. Prints its address.
 */
const [dataDir = '', databaseUrl] = process.argv.slice(2);
const { config } = loadConfig({ cwd: dataDir });
const server = await startParley({
  ...config,
  port: 0,
  dataDir,
  rateLimits: false,
  logLevel: 'silent',
  ...(databaseUrl !== undefined && { databaseUrl }),
});
process.stdout.write(`listening ${server.url}\n`);
