import { consoleExecutions, type ExecutionsAnswer } from '@parley/protocol/console/view-routes';
import { consoleWebhookReplay } from '@parley/protocol/console/webhook-routes';
import { executionReplay } from '@parley/protocol/delivery/execution-routes';
import { api } from '../data.ts';

const HOUR = 3_600_000;
const OF_AGENT = 'agent.';

/** An endpoint, and whose it is. */
export interface Endpoint {
  readonly id: string;
  readonly owner: string | null;
}

/** What waits for another try is tried now, and of an agent's messages what failed within some hours, at most a page of it. */
export async function replayTo({ id, owner }: Endpoint, hours: number): Promise<number> {
  const { replayed } = await api.call<{ replayed: number }>(consoleWebhookReplay, { path: [id] });
  if (!id.startsWith(OF_AGENT)) return replayed;
  const query = { agent: `agent_${id.slice(OF_AGENT.length)}`, status: 'failed', limit: 200 };
  const { executions } = await api.call<ExecutionsAnswer>(consoleExecutions, { query });
  const since = Date.now() - hours * HOUR;
  const wanted = executions.filter(({ updated_at: at }) => Date.parse(at) >= since);
  for (const run of wanted) await api.call(executionReplay, { path: [run.id] }, owner ?? undefined);
  return replayed + wanted.length;
}
