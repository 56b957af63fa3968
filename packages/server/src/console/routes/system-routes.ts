import * as declared from '@parley/protocol/console/system-routes';
import { createInvite } from '../../identity/owners/invites.ts';
import type { RouteTable } from '../../platform/http/route-table.ts';
import { DeliveryError } from '../../wire/delivery/errors.ts';
import { iso } from '../../wire/delivery/times.ts';
import { noteAudit } from '../audit.ts';
import type { ConsoleContext } from '../create-module.ts';
import { type MaybePerson, personOf } from '../shape.ts';
import { backupsOf, makeBackup, openBackup } from '../system/backups.ts';
import { settingsOf } from '../system/settings.ts';
import { systemOf } from '../system/system.ts';

const MOST_DEAD = 500;

/** The server itself, for those who run it. What they change is noted. */
export function systemRoutes(
  table: RouteTable<MaybePerson>,
  context: ConsoleContext,
  { version }: { readonly version: string },
): void {
  const { jobs, log } = context;
  const note = (action: string, object: string): Promise<void> =>
    noteAudit(context, { ownerId: null, actor: 'operator', action, object });

  table.add(declared.consoleSystem, () => systemOf(context, version));
  table.add(declared.consoleSettings, () => settingsOf(context));

  table.add(declared.consoleDeadJobs, async () => {
    const [dead, count] = await Promise.all([jobs.dead(MOST_DEAD), jobs.deadCount()]);
    return {
      jobs: dead.map(({ id, kind, key, attempts, error, diedAt }) => ({
        id: String(id),
        kind,
        key,
        attempts,
        error,
        died_at: iso(diedAt),
      })),
      count,
    };
  });

  table.add(declared.consoleDeadJobRetry, async ({ params }) => {
    const id = jobId(params.id);
    const outcome = await jobs.retryDead(id);
    if (outcome === 'gone') throw new DeliveryError('not_found', 'there is no such job');
    if (outcome === 'replaced')
      throw new DeliveryError('invalid_state', 'another job does its work already; drop this one');
    await note('retried_job', `job ${id}`);
    return { id: String(id), status: 'queued' } as const;
  });

  table.add(declared.consoleDeadJobDrop, async ({ params }) => {
    const id = jobId(params.id);
    if (!(await jobs.dropDead(id))) throw new DeliveryError('not_found', 'there is no such job');
    await note('dropped_job', `job ${id}`);
  });

  table.add(declared.consoleBackups, (call) => backupsOf(context, personOf(call)));
  table.add(declared.consoleBackupMake, async () => {
    const backup = await makeBackup(context);
    await note('backed_up', backup.name);
    return backup;
  });
  table.add(declared.consoleBackupRead, async (call) => {
    const name = call.params.name ?? '';
    const { stream, bytes } = await openBackup(context, personOf(call), name);
    await note('downloaded_backup', name);
    return call.reply
      .type('application/octet-stream')
      .headers({ 'Content-Length': bytes, 'Content-Disposition': `attachment; filename="${name}"` })
      .send(stream);
  });

  table.add(declared.consoleInviteMake, async () => {
    const { code, expiresAt } = await createInvite(context);
    await note('invited', 'one registration');
    return { code, expires_at: iso(expiresAt) };
  });

  table.add(declared.consoleLogLevel, async ({ body }) => {
    log.level = body.level;
    await note('set_log_level', body.level);
    return { level: body.level };
  });
}

function jobId(text: string | undefined): number {
  const id = Number(text);
  if (!Number.isSafeInteger(id)) throw new DeliveryError('not_found', 'there is no such job');
  return id;
}
