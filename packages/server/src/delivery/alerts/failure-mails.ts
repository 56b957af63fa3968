import { ALARM_RETRY_WAITS } from '@parley/protocol/delivery/limits';
import { variableName } from '../../config/settings.ts';
import { emailOf } from '../../identity/owners/account.ts';
import type { Tx } from '../../platform/database/database.ts';
import type { Platform } from '../../platform.ts';
import type { CueFailure } from '../cues/cue-context.ts';
import { onFailureOf } from '../cues/record/cue-row.ts';
import { toldFailure, type ToldFailure } from './alarms.ts';
import type { AlertContext } from './alerts.ts';
import { HOUR } from '../../platform/units.ts';

interface FailureMail {
  readonly ownerId: string;
  readonly failure: ToldFailure;
}

const MAIL_JOB = 'delivery.failure_mail';

/** `on_failure.email`: the end of a run that failed, to the address of its owner. More than a few an hour say nothing new. */
export function defineFailureMails(
  { jobs, database }: AlertContext,
  { mailer, limits, config }: Pick<Platform, 'mailer' | 'limits' | 'config'>,
): void {
  const limit = limits.slidingWindow('delivery.failure_mails', {
    limit: config.rlFailureMailsPerHour,
    windowMs: HOUR,
    setting: variableName('rlFailureMailsPerHour'),
  });
  jobs.define<FailureMail>(MAIL_JOB, {
    concurrency: 4,
    perGroup: 1,
    maxAttempts: ALARM_RETRY_WAITS.length + 1,
    backoff: (attempt) => ALARM_RETRY_WAITS[attempt - 1] ?? 0,
    async handler({ payload: { ownerId, failure }, attempt }) {
      const to = await emailOf(database.read, ownerId);
      if (to === null) return;
      if (attempt === 1 && !(await limit.take(ownerId)).ok) return;
      await mailer?.send({ to, subject: `${failure.cue_name} failed`, text: textOf(failure) });
    },
  });
}

export async function mailFailure(
  { clock, jobs }: AlertContext,
  tx: Tx,
  { cue, execution }: CueFailure,
): Promise<void> {
  if (!onFailureOf(cue).email) return;
  const ownerId = cue.owner_id;
  const mail: FailureMail = { ownerId, failure: toldFailure(cue, execution, clock.now()) };
  await jobs.enqueue(tx, MAIL_JOB, mail, { group: ownerId });
}

const textOf = (failure: ToldFailure): string =>
  [
    `A run of the cue ${failure.cue_name} failed, and is not tried again.`,
    '',
    `Cue:          ${failure.cue_id}`,
    `Execution:    ${failure.execution_id}`,
    `Attempts:     ${failure.attempts}`,
    `Last answer:  ${failure.last_http_status ?? 'none'}`,
    `Last error:   ${failure.last_error ?? 'none'}`,
    `Failed at:    ${failure.failed_at}`,
    '',
    'To get no such mail, set on_failure.email of the cue to false.',
    '',
  ].join('\n');
