import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CliError, CONFIGURED } from '../cli-error.ts';
import { printJson, printLine } from '../output.ts';

/** `parley doctor --store [flags]`: for the operator, who can reach the store. */
export async function checkStoreOf(flags: readonly string[], json: boolean): Promise<void> {
  const [{ loadConfig, ConfigError }, { parseFlags }] = await Promise.all([
    import('@parley/server/config/load'),
    import('@parley/server/config/flags'),
  ]);
  try {
    const { config } = loadConfig({ flags: parseFlags(flags), env: process.env });
    if (config.databaseUrl !== undefined) {
      throw new CliError(
        'not_embedded',
        'parley: PostgreSQL is checked with its own tools, such as pg_amcheck',
      );
    }
    await examine(resolve(config.dataDir), json);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new CliError('invalid_configuration', `parley: ${error.message}`, { hint: CONFIGURED });
  }
}

async function examine(dataDir: string, json: boolean): Promise<void> {
  const [{ SQLITE_FILE }, { checkStore }] = await Promise.all([
    import('@parley/server/platform/database/open-database'),
    import('@parley/server/platform/storage/check-store'),
  ]);
  const file = join(dataDir, SQLITE_FILE);
  if (!existsSync(file)) {
    throw new CliError(
      'no_store',
      `parley: there is no store in ${dataDir}; name its folder with --data-dir`,
    );
  }
  const problems = await checkStore(file, 'full');
  if (problems.length > 0) {
    throw new CliError('store_damaged', `parley: ${file} is damaged:\n  ${problems.join('\n  ')}`, {
      details: { file, problems },
      hint: 'stop the server, keep the file, and restore the latest backup',
    });
  }
  if (json) printJson({ file, sound: true });
  else printLine(`${file} is sound`);
}
