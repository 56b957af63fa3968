import { Command } from 'commander';
import { join, resolve } from 'node:path';
import { printJson, printLine } from '../output.ts';
import { addPlaceOptions, configOf, refusalsTold, type StorePlace } from './store-place.ts';

interface BackupCommandOptions extends StorePlace {
  readonly force?: true;
  readonly withKey?: true;
  readonly json?: true;
}

const HELP = `
Works on the store of "parley serve" with the same settings: flags, PARLEY_* variables, parley.json. The server may be
running, and goes on writing. FILE is there when the copy is whole and was checked, readable by its owner only.
A store in PostgreSQL is copied with its pg_dump, which has to be installed here.`;

/** `parley backup FILE`: for the operator, who can reach the store. */
export function backupCommand(): Command {
  return addPlaceOptions(
    new Command('backup')
      .description('copy the store to a file, while the server runs or not')
      .argument('<file>', 'the copy; outside of the data folder')
      .option('--force', 'replace FILE if it exists')
      .option('--with-key', 'copy the key file too, to FILE.key'),
  )
    .option('--json', 'print one JSON object')
    .addHelpText('after', HELP)
    .action(async (file: string, options: BackupCommandOptions) => {
      const { dataDir, secretKey, databaseUrl: url } = await configOf(options);
      const { force = false, withKey = false, json } = options;
      const copy = { dataDir, file, force, withKey };
      const made = await refusalsTold(async () => {
        if (url === undefined)
          return (await import('@parley/server/platform/storage/backup-store')).backupStore(copy);
        return await (await import('@parley/server/operator/postgres-backup')).dumpStore({ ...copy, url });
      });
      if (json) {
        printJson({ file: made.file, bytes: made.bytes, key_file: made.keyCopy ?? null });
        return;
      }
      printLine(`${made.store} is copied to ${made.file} (${made.bytes} bytes), and the copy is sound`);
      if (made.keyCopy !== undefined)
        printLine(`its key is in ${made.keyCopy}: together they open everything`);
      else printLine(`without its key it is of little use: keep ${keyPlace(dataDir, secretKey)} too`);
    });
}

function keyPlace(dataDir: string, secretKey: string | undefined): string {
  return secretKey === undefined
    ? `a copy of ${join(resolve(dataDir), 'parley.key')}`
    : 'the value of secret_key';
}
