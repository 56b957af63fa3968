import type { Need } from '@parley/protocol/console/view-routes';
import { storeMadeAt } from '../platform/database/migrations.ts';
import { someWebhookFails } from '../platform/outbound/webhook-results.ts';
import { lastBackupOf } from '../platform/storage/backup-store.ts';
import { iso } from '../wire/delivery/times.ts';
import type { Person } from '../wire/person.ts';
import type { ConsoleContext } from './create-module.ts';
import { webhooksOf } from './webhooks.ts';
import { DAY } from '../platform/units.ts';

/** What was written since the last copy would be lost with the disk. */
const BACKUP_AGE = 7 * DAY;
const MOST = 50;

/** Endpoints that did not take what they were sent last. It is tried again by itself for a while, but somebody should know. */
export async function failingWebhooks(context: ConsoleContext, person: Person): Promise<Need[]> {
  if (!(await someWebhookFails(context.database.read))) return [];
  const { webhooks } = await webhooksOf(context, person, undefined);
  return webhooks.flatMap(({ id, owner, agent, last_error: why, failing_since: at }): Need | Need[] => {
    if (at === null) return [];
    const title = `A webhook of ${agent} does not take what it is sent`;
    const view = `/webhooks?q=${encodeURIComponent(agent)}`;
    return { kind: 'webhook_failing', id, owner, title, why, at, view };
  });
}

/** What whoever runs the server has to see to. */
export async function serverNeeds(context: ConsoleContext, now: number): Promise<Need[]> {
  const { jobs, disk } = context;
  const dead = await jobs.dead(MOST);
  const low: Need = {
    kind: 'disk_low',
    id: 'disk',
    owner: null,
    title: 'The disk is nearly full: nothing new is stored',
    why: disk.told,
    at: iso(now),
    view: '/system',
  };
  return [
    ...(disk.isLow ? [low] : []),
    ...(await staleBackup(context, now)),
    ...dead.map(
      (job): Need => ({
        kind: 'job_dead',
        id: String(job.id),
        owner: null,
        title: `A background job gave up: ${job.kind}`,
        why: job.error,
        at: iso(job.diedAt),
        view: '/system',
      }),
    ),
  ];
}

/** A database of its own is backed up where it runs, and tells nobody here. */
async function staleBackup({ database, config }: ConsoleContext, now: number): Promise<Need[]> {
  if (database.dialect !== 'sqlite') return [];
  const last = await lastBackupOf(config.dataDir);
  const since = last ?? (await storeMadeAt(database.read));
  if (since === undefined || now - since < BACKUP_AGE) return [];
  const days = Math.floor((now - since) / DAY);
  return [
    {
      kind: 'backup_stale',
      id: 'backup',
      owner: null,
      title: last === undefined ? 'The store was never backed up' : `The last backup is ${days} days old`,
      why: 'what was written since then would be lost with the disk',
      at: iso(since + BACKUP_AGE),
      view: '/system',
    },
  ];
}
