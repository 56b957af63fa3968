import type { CueAnswer, ExecutionAnswer } from '@parley/protocol/delivery/types';
import type { DeliveryClient } from '@parley/sdk/delivery/client';
import { theOne } from '../the-one.ts';

const PREFIX = 'cue_';

/** A cue by its id, by the beginning of it, or by its name. */
export async function findCue(parley: DeliveryClient, said: string): Promise<CueAnswer> {
  if (/^cue_[a-z0-9]{12}$/.test(said)) return await parley.cues.read(said, { execution_limit: 1 });
  const cues = await allCues(parley);
  const named = cues.find(({ name }) => name === said);
  if (named) return named;
  const beginning = said.startsWith(PREFIX) ? said.slice(PREFIX.length) : said;
  return theOne(beginning, {
    noun: 'cue',
    among: cues,
    idOf: ({ id }) => id.slice(PREFIX.length),
    hint: '"parley cue list" shows them',
  });
}

async function allCues(parley: DeliveryClient): Promise<CueAnswer[]> {
  const found: CueAnswer[] = [];
  for (;;) {
    const { cues, total } = await parley.cues.list({ limit: 100, offset: found.length });
    found.push(...cues);
    if (cues.length === 0 || found.length >= total) return found;
  }
}

/** An execution by its id, or by the beginning of it when it is one of the last hundred. */
export async function findExecution(parley: DeliveryClient, said: string): Promise<ExecutionAnswer> {
  if (said.length === 36) return await parley.executions.read(said);
  const { executions } = await parley.executions.list({ limit: 100 });
  return theOne(said, {
    noun: 'execution',
    among: executions,
    idOf: ({ id }) => id,
    hint: '"parley executions" shows the latest',
  });
}
