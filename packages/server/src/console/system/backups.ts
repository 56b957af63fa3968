import type { BackupMadeAnswer, BackupsAnswer } from '@parley/protocol/console/system-routes';
import { createReadStream, type ReadStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { backupStore } from '../../platform/storage/backup-store.ts';
import { DeliveryError } from '../../wire/delivery/errors.ts';
import { iso } from '../../wire/delivery/times.ts';
import type { Person } from '../../wire/person.ts';
import type { ConsoleContext } from '../create-module.ts';
import { readsTexts } from '../scope.ts';

const FOLDER = 'backups';
/** Each holds the whole store: a button must not be able to fill the disk. */
const KEPT = 3;
const NAME = /^parley-\d{8}-\d{6}\.db$/;

const folderOf = ({ config }: ConsoleContext): string => join(resolve(config.dataDir), FOLDER);

/** Newest first. */
async function made(context: ConsoleContext): Promise<BackupMadeAnswer[]> {
  const folder = folderOf(context);
  const names = (await readdir(folder).catch(() => [])).filter((name) => NAME.test(name));
  const all = await Promise.all(
    names.map(async (name) => {
      const { size, mtimeMs } = await stat(join(folder, name));
      return { name, bytes: size, made_at: iso(Math.round(mtimeMs)) };
    }),
  );
  return all.toSorted((a, b) => (a.name < b.name ? 1 : -1));
}

export async function backupsOf(context: ConsoleContext, person: Person): Promise<BackupsAnswer> {
  return {
    supported: context.database.dialect === 'sqlite',
    downloads: readsTexts(person),
    backups: await made(context),
  };
}

/** Copies the store as `parley backup` does. The key that opens what is sealed in it is not in it. */
export async function makeBackup(context: ConsoleContext): Promise<BackupMadeAnswer> {
  if (context.database.dialect !== 'sqlite')
    throw new DeliveryError(
      'invalid_state',
      'the store is a PostgreSQL database: run parley backup where the server runs',
    );
  const { disk, clock, config } = context;
  if (disk.isLow) throw new DeliveryError('invalid_state', disk.told);
  const folder = folderOf(context);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const stamp = iso(clock.now()).replaceAll(/[-:]/g, '').replace('T', '-').slice(0, 15);
  const name = `parley-${stamp}.db`;
  await backupStore({
    dataDir: config.dataDir,
    file: join(folder, name),
    force: true,
    withKey: false,
    at: clock.now(),
  });
  const all = await made(context);
  for (const old of all.slice(KEPT)) await rm(join(folder, old.name));
  const newest = all.find((each) => each.name === name);
  if (!newest) throw new DeliveryError('invalid_state', 'the copy is gone already');
  return newest;
}

/** A copy holds what owners wrote: it leaves only with somebody who may read that. */
export async function openBackup(
  context: ConsoleContext,
  person: Person,
  name: string,
): Promise<{ stream: ReadStream; bytes: number }> {
  if (!readsTexts(person))
    throw new DeliveryError(
      'operator_only',
      'a backup holds the texts of owners; PARLEY_OPERATOR_READS=content allows it',
    );
  // No path of somebody's own making.
  const known = NAME.test(name) ? (await made(context)).find((each) => each.name === name) : undefined;
  if (!known) throw new DeliveryError('not_found', 'there is no such backup');
  return { stream: createReadStream(join(folderOf(context), name)), bytes: known.bytes };
}
