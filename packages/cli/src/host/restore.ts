import { Command } from 'commander';
import { printJson, printLine, printNote } from '../output.ts';
import { addPlaceOptions, configOf, refusalsTold, type StorePlace } from './store-place.ts';

interface RestoreCommandOptions extends StorePlace {
  readonly withKey?: true;
  readonly json?: true;
}

const HELP = `
Works on the data folder of "parley serve" with the same settings: flags, PARLEY_* variables, parley.json. Stop the server
first, and run it as the user of the server. A file that is damaged or no store of Parley is refused. The store that is there
is kept beside, as parley.db.before-restore-<time>.
A backup of PostgreSQL is put into an empty database with pg_restore, whole or not at all.`;

/** `parley restore FILE`: for the operator, who can reach the store. */
export function restoreCommand(): Command {
  return addPlaceOptions(
    new Command('restore')
      .description('put a backup in place of the store, while no server runs')
      .argument('<file>', 'what "parley backup" wrote')
      .option('--with-key', 'put the key in FILE.key in place too'),
  )
    .option('--json', 'print one JSON object')
    .addHelpText('after', HELP)
    .action(async (file: string, options: RestoreCommandOptions) => {
      const { dataDir, secretKey, databaseUrl: url } = await configOf(options);
      const { withKey = false, json } = options;
      const place = { dataDir, file, withKey };
      const done = await refusalsTold(async () => {
        if (url !== undefined)
          return await (await import('@parley/server/operator/postgres-backup')).loadDump({ ...place, url });
        const [{ restoreStore }, { systemClock }] = await Promise.all([
          import('@parley/server/platform/storage/restore-store'),
          import('@parley/server/platform/clock'),
        ]);
        return await restoreStore({ ...place, clock: systemClock });
      });
      if (json) printJson({ store: done.store, kept: done.kept ?? null });
      else {
        printLine(`${done.store} is restored from ${file}`);
        if (done.kept !== undefined) printLine(`what was there is kept as ${done.kept}`);
      }
      if (!done.hasKey && secretKey === undefined) {
        printNote(
          `the key is missing: put that of the backup at ${done.keyFile} before you start the server`,
        );
      }
    });
}
