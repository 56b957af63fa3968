import type { Platform } from '../../platform.ts';
import type { CueContext } from '../cues/cue-context.ts';
import type { WebhookDispatcher } from '../webhooks/dispatcher.ts';
import { alarmWebhooks } from './alarm-webhooks.ts';
import { alarms, tellFailure } from './alarms.ts';
import type { AlertContext } from './alerts.ts';
import { defineFailureMails, mailFailure } from './failure-mails.ts';
import { MissedWindows } from './missed-windows.ts';

/** Who is told when a cue does not do what it was made for. */
export function createAlertSide(
  platform: Pick<Platform, 'mailer' | 'limits' | 'config'>,
  cues: CueContext,
  dispatcher: WebhookDispatcher,
): AlertContext {
  const context: AlertContext = { ...cues, dispatcher };
  const windows = new MissedWindows(context);
  defineFailureMails(context, platform);
  for (const kind of alarmWebhooks(context)) dispatcher.carry(kind);
  context.failures.add({
    cueFires: (tx, cue) => windows.cueFires(tx, cue),
    async cueFailed(tx, failure) {
      await tellFailure(context, tx, failure);
      if (platform.mailer) await mailFailure(context, tx, failure);
    },
  });
  context.ends.add(alarms(context));
  return context;
}
