import type { agent as agentAnswer } from '@parley/protocol/delivery/answers/agent-answers';
import * as routes from '@parley/protocol/delivery/agent-routes';
import type { z } from 'zod';
import type { Calls } from '../calling.ts';
import { theOne } from '../the-one.ts';

/** The beginning of an id, with a prefix that no slug has. */
const BEGINNING = /^(?:agent|agt)_([a-z0-9]{1,11})$/;

/** What an agent is called for the server: as it was said, unless that is the beginning of an id of one of the owner's. */
export async function agentMeant(caller: Calls, said: string): Promise<string> {
  const [, beginning] = BEGINNING.exec(said) ?? [];
  if (beginning === undefined) return said;
  const { agents } = await caller.call<{ agents: z.infer<typeof agentAnswer>[] }>(routes.agentList, {
    query: { limit: 100 },
  });
  const { id } = theOne(`agent_${beginning}`, {
    noun: 'agent',
    among: agents,
    idOf: (each) => each.id,
    hint: '"parley agent list" shows those of the owner',
  });
  return id;
}
