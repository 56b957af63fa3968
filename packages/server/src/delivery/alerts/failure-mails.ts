import { ALARM_RETRY_WAITS } from '@parley/protocol/delivery/limits';
import { variableName } from '../../config/settings.ts';
import { emailOf } from '../../identity/owners/account.ts';
import type { Tx } from '../../platform/database/database.ts';
import type { Job } from '../../platform/jobs/job.ts';
import type { Limiter } from '../../platform/limits/limiter.ts';
import type { Mailer } from '../../platform/mail/mailer.ts';
import type { Platform } from '../../platform.ts';
import { onFailureOf } from '../cues/record/cue-row.ts';
import type { CueFailure } from '../cues/runs/cue-failures.ts';
import { failureOf, type ToldFailure } from './alarms.ts';
import type { AlertContext } from './alerts.ts';

interface FailureMail {
  readonly ownerId: string;
  readonly failure: ToldFailure;
}

const MAIL_JOB = 'delivery.failure_mail';
const HOUR = 3_600_000;

/** `on_failure.email`: the end of a run that failed, to the address of its owner. More than a few an hour say nothing new. */
export class FailureMails {
  readonly #context: AlertContext;
  readonly #mailer: Mailer | undefined;
  readonly #limit: Limiter;

  constructor(
    context: AlertContext,
    { mailer, limits, config }: Pick<Platform, 'mailer' | 'limits' | 'config'>,
  ) {
    this.#context = context;
    this.#mailer = mailer;
    this.#limit = limits.slidingWindow('delivery.failure_mails', {
      limit: config.rlFailureMailsPerHour,
      windowMs: HOUR,
      setting: variableName('rlFailureMailsPerHour'),
    });
    context.jobs.define<FailureMail>(MAIL_JOB, {
      concurrency: 4,
      perGroup: 1,
      maxAttempts: ALARM_RETRY_WAITS.length + 1,
      backoff: (attempt) => ALARM_RETRY_WAITS[attempt - 1] ?? 0,
      handler: (job) => this.#send(job),
    });
  }

  async cueFailed(tx: Tx, { cue, execution }: CueFailure): Promise<void> {
    if (!this.#mailer || !onFailureOf(cue).email) return;
    const { clock, jobs } = this.#context;
    const mail: FailureMail = {
      ownerId: cue.owner_id,
      failure: failureOf(cue, execution, clock.now()),
    };
    await jobs.enqueue(tx, MAIL_JOB, mail, { group: cue.owner_id });
  }

  async #send({ payload: { ownerId, failure }, attempt }: Job<FailureMail>): Promise<void> {
    const to = await emailOf(this.#context.database.read, ownerId);
    if (to === null) return;
    if (attempt === 1 && !(await this.#limit.take(ownerId)).ok) return;
    await this.#mailer?.send({ to, subject: `${failure.cue_name} failed`, text: textOf(failure) });
  }
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
