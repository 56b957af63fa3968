import type { Config } from '@parley/server/config/settings';
import type { OperatorStore } from '@parley/server/operator-store';
import type { Command } from 'commander';
import { CliError, EXIT } from '../cli-error.ts';

/** How a command on the host finds the store: the settings of `parley serve` that say where it is. */
export interface StoreOptions {
  readonly owner: string;
  readonly dataDir?: string;
  readonly databaseUrl?: string;
  readonly config?: string;
  readonly json?: boolean;
}

export interface OwnedStore extends OperatorStore {
  readonly config: Config;
  readonly owner: { readonly id: string; readonly slug: string };
}

export const STORE_HELP = `
Works on the store of "parley serve" with the same settings: flags, PARLEY_* variables, parley.json. Run it as the user of
the server, in the same folder. The server may be running.`;

export function addStoreOptions(command: Command): Command {
  return command
    .requiredOption('--owner <slug>', 'whose memory')
    .option('--data-dir <folder>', 'folder of the embedded store')
    .option('--database-url <url>', 'postgres://… of the store; better given as PARLEY_DATABASE_URL')
    .option('--config <file>', 'configuration file')
    .option('--json', 'print one JSON object');
}

/** Opens the store for `work` and closes it whatever happens. */
export async function withStore<T>(
  options: StoreOptions,
  access: 'read' | 'write',
  work: (store: OwnedStore) => Promise<T>,
): Promise<T> {
  const config = await configOf(options);
  const { openOperatorStore, ownerIdOf } = await import('@parley/server/operator-store');
  const store = await openOperatorStore(config, access);
  try {
    const id = await ownerIdOf(store.database.read, options.owner);
    if (id === undefined) {
      throw new CliError('unknown_owner', `parley: there is no owner ${options.owner} in this store`, {
        exitCode: EXIT.gone,
      });
    }
    return await work({ ...store, config, owner: { id, slug: options.owner } });
  } finally {
    await store.close();
  }
}

async function configOf({ dataDir, databaseUrl, config }: StoreOptions): Promise<Config> {
  const { ConfigError, loadConfig } = await import('@parley/server/config/load');
  const given = { 'data-dir': dataDir, 'database-url': databaseUrl, config };
  const flags = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  try {
    return loadConfig({ flags, env: process.env }).config;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new CliError('invalid_configuration', `parley: ${error.message}`, { exitCode: 2 });
  }
}
