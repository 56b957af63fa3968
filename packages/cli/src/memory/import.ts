import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ImportReport } from '@parley/server/continuity/import/import';
import { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import { printJson, printLine } from '../output.ts';
import { harmlessLine } from '../harmless.ts';
import {
  addStoreOptions,
  type OwnedStore,
  STORE_HELP,
  type StoreOptions,
  withStore,
} from './store-access.ts';

interface ImportCommandOptions extends StoreOptions {
  readonly raw?: boolean;
}

const HELP = `
Reads FOLDER as an export writes it, or as the original system keeps it: capsules, what agents exchanged, peers, reminders,
tasks and documents. Every one is checked as if it were written by an agent; if one is refused, nothing is imported. With --raw
they are taken as they are, valid or not, older or newer than what is there. A file that is no text, and a task that is none,
is refused by itself. Links are not followed; files that are no documents are named and left.
${STORE_HELP}

Exit codes: 0 imported, 1 failed or refused, 2 wrong configuration, 3 no such owner`;

/** `parley memory import DIR --owner SLUG [--raw]` */
export function importCommand(): Command {
  return addStoreOptions(
    new Command('import')
      .description('read a folder of memory back')
      .argument('<folder>', 'holds memory, tasks, peers or folders of documents')
      .option('--raw', 'take the bytes as they are, valid or not'),
  )
    .addHelpText('after', HELP)
    .action(async (folder: string, options: ImportCommandOptions) => {
      const directory = resolve(folder);
      await requireFolder(directory);
      const report = await withStore(options, 'write', (store) =>
        runImport(store, directory, options.raw === true),
      );
      if (options.json) printJson(asJson(report));
      else for (const line of asText(report)) printLine(line);
      if (report.refused.length > 0) process.exitCode = 1;
    });
}

async function requireFolder(directory: string): Promise<void> {
  const found = await stat(directory).catch(() => undefined);
  if (!found?.isDirectory()) {
    throw new CliError('no_such_folder', `parley: the folder ${directory} does not exist`);
  }
}

async function runImport(store: OwnedStore, directory: string, raw: boolean): Promise<ImportReport> {
  const [{ importFolder }, { systemClock }, { systemRandom }, { EventLog }, { hostFolders }] =
    await Promise.all([
      import('@parley/server/continuity/import/import'),
      import('@parley/server/platform/clock'),
      import('@parley/server/platform/ids'),
      import('@parley/server/platform/streams/event-log'),
      import('@parley/server/memory-folders'),
    ]);
  const report = await importFolder({
    database: store.database,
    // Nobody listens in this process; those who listen to a server read it with the next change they hear of.
    events: new EventLog({ db: store.database, hub: { publish: () => {} }, random: systemRandom }),
    clock: systemClock,
    ownerId: store.owner.id,
    directory,
    others: hostFolders(),
    raw,
    once: false,
    peerId: 'self',
    ...(store.serverPid !== undefined && { pause: besideServer }),
  });
  if (report) return report;
  throw new CliError(
    'no_memory',
    `parley: ${directory} holds no documents and no folder memory/continuity, memory/coordination or memory/schedule`,
  );
}

const LEAST_PAUSE_MS = 25;

/** The file has one writer at a time, and a server that waits for its turn does nothing else: most turns are its. */
const besideServer = (workMs: number): Promise<void> => sleep(Math.max(LEAST_PAUSE_MS, workMs * 3));

const asJson = ({ imported, refused, ...rest }: ImportReport): object => ({
  ok: refused.length === 0,
  imported,
  ...rest,
  refused,
});

function asText({ imported, unchanged, unknown, refused }: ImportReport): string[] {
  return [
    ...refused.map(({ path, error }) => `refused ${harmlessLine(path)}: ${harmlessLine(error)}`),
    ...unknown.map((path) => `left ${harmlessLine(path)}: not a document of memory`),
    `${imported.length} imported, ${unchanged} unchanged, ${refused.length} refused, ${unknown.length} left`,
  ];
}
