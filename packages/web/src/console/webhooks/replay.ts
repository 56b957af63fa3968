import { consoleExecutions, type ExecutionsAnswer } from '@parley/protocol/console/view-routes';
import {
  consoleWebhookReplay,
  type ConsoleWebhookReplayAsked,
} from '@parley/protocol/console/webhook-routes';
import { executionReplay } from '@parley/protocol/delivery/execution-routes';
import { api } from '../data.ts';

const HOUR = 3_600_000;
const DAY = 24;
const OF_AGENT = 'agent.';

/** An endpoint, and whose it is. */
export interface Endpoint {
  readonly id: string;
  readonly owner: string | null;
}

/** What asks for the runs of an agent's messages that failed; of what is not an agent's nothing. */
export const failedRuns = ({ id }: Endpoint): { query: Record<string, string | number> } | undefined =>
  id.startsWith(OF_AGENT)
    ? { query: { agent: `agent_${id.slice(OF_AGENT.length)}`, status: 'failed', limit: 200 } }
    : undefined;

export const replayRun = (run: string, { owner }: Endpoint): Promise<unknown> =>
  api.call(executionReplay, { path: [run] }, owner ?? undefined);

export const replayWaiting = async ({ id }: Endpoint, body: ConsoleWebhookReplayAsked): Promise<number> =>
  (await api.call<{ replayed: number }>(consoleWebhookReplay, { path: [id], body })).replayed;

/**
 * What waits for another try is tried now, and of an agent's messages what failed, at most a page of it: both of some hours.
 * Without them all that waits, and what failed within a day.
 */
export async function replayTo(endpoint: Endpoint, hours?: number): Promise<number> {
  const since = Date.now() - (hours ?? DAY) * HOUR;
  const replayed = await replayWaiting(
    endpoint,
    hours === undefined ? {} : { since: new Date(since).toISOString() },
  );
  const asked = failedRuns(endpoint);
  if (!asked) return replayed;
  const { executions } = await api.call<ExecutionsAnswer>(consoleExecutions, asked);
  const wanted = executions.filter(({ updated_at: at }) => Date.parse(at) >= since);
  for (const run of wanted) await replayRun(run.id, endpoint);
  return replayed + wanted.length;
}
