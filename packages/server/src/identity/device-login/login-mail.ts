import type { Log } from '../../platform/log.ts';
import type { Mailer } from '../../platform/mail/mailer.ts';
import type { LoginLink } from '../service.ts';

/** Whoever waits for a link that did not leave asks for another; the operator sees why it did not. */
export async function mailLink(mailer: Mailer, { email, url }: LoginLink, log: Log): Promise<void> {
  const text = [
    'A command line asks to be let into your account. If that was you, open this link within 15 minutes:',
    '',
    url,
    '',
    'If it was not, do nothing.',
    '',
  ].join('\n');
  await mailer.send({ to: email, subject: 'Your login link', text }).catch(log.failed('login_mail_failed'));
}
