import { Command } from 'commander';
import { join, resolve } from 'node:path';
import { CliError } from '../cli-error.ts';
import { printJson, printLine, printNote } from '../output.ts';
import { fileStoreConfig, refusalsTold } from './store-place.ts';

interface MigrateOptions {
  readonly to: string;
  readonly dataDir?: string;
  readonly config?: string;
  readonly json?: true;
}

const HELP = `
Works on the store of "parley serve" with the same settings. What both sides hold is counted and compared at the end, table by
table; the file is never changed. Broken off at any point, the same command goes on. While a server runs on the file, what is
there now is copied and the copy stays unfinished: stop the server and run the command again, which copies what changed.
Without a URL on the command line, where other users of the machine could read its password:
  PARLEY_MIGRATE_TO=postgres://… parley migrate`;

/** `parley migrate --to postgres://…`: for the operator, who can reach both. */
export function migrateCommand(): Command {
  return new Command('migrate')
    .description('copy a store that is a file into an empty PostgreSQL')
    .option('--to <url>', 'postgres://… of an empty database; better given as PARLEY_MIGRATE_TO')
    .option('--data-dir <folder>', 'folder of the embedded store')
    .option('--config <file>', 'configuration file')
    .option('--json', 'print one JSON object')
    .addHelpText('after', HELP)
    .action(async (options: MigrateOptions) => {
      const url = targetOf(options.to ?? process.env['PARLEY_MIGRATE_TO']);
      const { dataDir, secretKey } = await fileStoreConfig(options, 'the store is in PostgreSQL already');
      const { copyToPostgres } = await import('@parley/server/operator/copy-to-postgres');
      const { tables, rows, kept, serverPid } = await refusalsTold(() =>
        copyToPostgres({ dataDir, url, onTable }),
      );
      if (options.json) {
        printJson({ tables, rows, kept_rows: kept, finished: serverPid === undefined });
        return;
      }
      printLine(`${tables} tables with ${rows} rows are the same on both sides (${kept} were there already)`);
      if (serverPid !== undefined) {
        printLine(
          `the server ${serverPid} goes on writing to the file: stop it, and run this again to finish`,
        );
        return;
      }
      printLine('start the server with PARLEY_DATABASE_URL set to the new database');
      if (secretKey === undefined) {
        printLine(
          `its key stays in ${join(resolve(dataDir), 'parley.key')}: nodes elsewhere get it as PARLEY_SECRET_KEY`,
        );
      }
    });
}

/** On a terminal: large tables take a while. */
function onTable(name: string, rows: number): void {
  if (process.stderr.isTTY && rows > 0) printNote(`${name}: ${rows} rows`);
}

function targetOf(url: string | undefined): string {
  if (url !== undefined && /^postgres(?:ql)?:\/\//.test(url) && URL.canParse(url)) return url;
  throw new CliError('usage', 'parley: --to is missing or no postgres://… URL', {
    hint: 'parley migrate --to postgres://user:password@host:5432/parley',
  });
}
