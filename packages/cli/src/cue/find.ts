import type { CueAnswer, ExecutionAnswer } from '@parley/protocol/delivery/types';
import type { DeliveryClient } from '@parley/sdk/delivery/client';
import { CliError, EXIT } from '../cli-error.ts';

/** A cue by its id, by the beginning of it, or by its name. */
export async function findCue(parley: DeliveryClient, said: string): Promise<CueAnswer> {
  if (/^cue_[a-z0-9]{12}$/.test(said)) return await parley.cues.read(said, { execution_limit: 1 });
  const cues = await allCues(parley);
  const named = cues.find(({ name }) => name === said);
  return (
    named ??
    onlyOne(
      said,
      'cue',
      cues.filter(({ id }) => startsWith(id, said)),
    )
  );
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
  return onlyOne(
    said,
    'execution',
    executions.filter(({ id }) => id.startsWith(said)),
  );
}

const startsWith = (id: string, said: string): boolean => id.startsWith(said) || id.startsWith(`cue_${said}`);

function onlyOne<T extends { id: string }>(said: string, what: string, found: readonly T[]): T {
  const [first, second] = found;
  if (first && !second && said.length >= 3) return first;
  if (!first) {
    throw new CliError(`${what}_not_found`, `parley: there is no ${what} ${JSON.stringify(said)}`, {
      exitCode: EXIT.gone,
      hint: what === 'cue' ? '"parley cue list" shows them' : '"parley executions" shows the latest',
    });
  }
  throw new CliError(
    'ambiguous',
    `parley: ${JSON.stringify(said)} may be ${found.map(({ id }) => id).join(' or ')}`,
  );
}
