import type { Reader } from '../../platform/database/database.ts';
import type { Travel } from '../records/message-row.ts';
import type { Recipients } from '../agents/recipients.ts';

type Push = Travel & { readonly id: string };

/** Of these messages, those whose push waits for somebody who has not been heard of for too long. */
export async function silentPushes(
  reader: Reader,
  recipients: Pick<Recipients, 'silent'>,
  messages: readonly Push[],
): Promise<ReadonlySet<string>> {
  const waiting = messages.filter(isAsked);
  if (waiting.length === 0) return NONE;
  const handlers = waiting.flatMap(({ channel, agent }) => (channel === 'bg' && agent ? [agent] : []));
  const sessions = waiting.flatMap(({ session_id: id }) => id ?? []);
  const silent = await recipients.silent(reader, { handlers, sessions });
  const asked = ({ channel, agent, session_id: session }: Push) => (channel === 'bg' ? agent : session);
  return new Set(waiting.filter((push) => silent.has(asked(push) ?? '')).map(({ id }) => id));
}

/** The same of a message that was routed just now, without another look at the store. */
export function silentWhenRouted(id: string, push: Travel, thresholdMs: number): ReadonlySet<string> {
  const { beat_age_ms: age } = push;
  return age !== null && age >= thresholdMs && isAsked(push) ? new Set([id]) : NONE;
}

const NONE: ReadonlySet<string> = new Set();

const isAsked = ({ channel, status, held }: Travel): boolean =>
  (channel === 'live' || channel === 'bg') && status === 'pending' && held === 0;
