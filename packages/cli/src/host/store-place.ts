import type { Config } from '@parley/server/config/settings';
import type { Command } from 'commander';
import { CliError, CONFIGURED } from '../cli-error.ts';

/** How a command on the host finds the store: the settings of `parley serve` that say where it is. */
export interface StorePlace {
  readonly dataDir?: string;
  readonly databaseUrl?: string;
  readonly config?: string;
}

export function addPlaceOptions(command: Command): Command {
  return command
    .option('--data-dir <folder>', 'folder of the embedded store')
    .option('--database-url <url>', 'postgres://… of the store; better given as PARLEY_DATABASE_URL')
    .option('--config <file>', 'configuration file');
}

export async function configOf({ dataDir, databaseUrl, config }: StorePlace): Promise<Config> {
  const [{ ConfigError }, { operatorConfig }] = await Promise.all([
    import('@parley/server/config/load'),
    import('@parley/server/config/operator-config'),
  ]);
  const given = { 'data-dir': dataDir, 'database-url': databaseUrl, config };
  const flags = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  try {
    return operatorConfig({ flags, env: process.env });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new CliError('invalid_configuration', `parley: ${error.message}`, {
      hint: CONFIGURED,
    });
  }
}

/** The settings of a store that is a file; `otherwise` says what PostgreSQL has instead of the command. */
export async function fileStoreConfig(place: StorePlace, otherwise: string): Promise<Config> {
  const config = await configOf(place);
  if (config.databaseUrl === undefined) return config;
  throw new CliError('not_embedded', `parley: ${otherwise}`);
}

/** Says why work on the store was refused in the words of the command line. */
export async function refusalsTold<T>(work: () => Promise<T>): Promise<T> {
  const [{ StoreCopyRefused }, { DataDirectoryLockedError, DatabaseInUseError, DatabaseUnusableError }] =
    await Promise.all([
      import('@parley/server/platform/storage/copy-store'),
      import('@parley/server/platform/database/errors'),
    ]);
  try {
    return await work();
  } catch (error) {
    if (error instanceof StoreCopyRefused) {
      throw new CliError(error.reason, `parley: ${error.message}`, { cause: error });
    }
    if (error instanceof DataDirectoryLockedError) {
      throw new CliError('in_use', `parley: ${error.message}`, {
        hint: 'stop the server first',
        cause: error,
      });
    }
    if (error instanceof DatabaseInUseError) {
      throw new CliError('in_use', 'parley: the database is in use by a server', {
        hint: 'stop its servers first; "parley nodes" lists them',
        cause: error,
      });
    }
    if (error instanceof DatabaseUnusableError) {
      throw new CliError('database_unusable', `parley: ${error.message}`, {
        hint: 'does the URL lead to a PostgreSQL that runs, and may its user use it?',
        cause: error,
      });
    }
    throw error;
  }
}
