import * as routes from '@parley/protocol/continuity/routes';
import type { DiffAnswer } from '@parley/protocol/continuity/list-answers';
import type { MemoryClient } from '@parley/sdk/memory/client';
import { CliError, EXIT } from '../cli-error.ts';
import { showChange } from './views/change-view.ts';
import { answered, type MemoryCommandOptions, withMemory } from './server-memory.ts';
import { spelled, stateFrom, type Subject, subjectFrom, tooMany } from './subject.ts';

type State = number | string;

export async function diff(words: readonly string[], options: MemoryCommandOptions): Promise<void> {
  const { subject, rest } = subjectFrom(words);
  const [first, second, ...others] = rest;
  if (others.length > 0) throw tooMany(others);
  await withMemory(options, async (memory) => {
    const [from, to] = await statesOf(memory, subject, first, second);
    await answered<DiffAnswer>(memory, routes.diff, { ...subject, from, to }, options, (page, answer) => {
      page.text({ text: `${spelled(subject)}: ${stateName(from)} → ${stateName(to)}`, style: 'bold' });
      if (answer.identical) page.text({ text: 'No differences in what was written.' });
      for (const change of answer.changes) showChange(page, change);
    });
  });
}

const stateName = (state: State): string => (typeof state === 'number' ? `revision ${state}` : state);

/** What is not said is the newest revision that holds a capsule, and the one before it. */
async function statesOf(
  memory: MemoryClient,
  subject: Subject,
  from: string | undefined,
  to: string | undefined,
): Promise<[from: State, to: State]> {
  if (from !== undefined && to !== undefined) return [stateFrom(from), stateFrom(to)];
  const { revisions } = await memory.history({ ...subject, limit: 100 });
  const [newest, previous] = revisions.filter(({ capsule_sha256: hash }) => hash !== null);
  const end = newest?.revision;
  const start = from === undefined ? previous?.revision : stateFrom(from);
  if (end !== undefined && start !== undefined) return [start, end];
  const missing = newest === undefined;
  throw new CliError(
    missing ? 'not_found' : 'nothing_to_compare',
    missing
      ? `parley: nothing was written for ${JSON.stringify(spelled(subject))}`
      : 'parley: there is one revision only',
    {
      exitCode: missing ? EXIT.gone : EXIT.failed,
      hint: missing
        ? '"parley memory list" shows what there is'
        : 'name what to compare it with: a revision, active, fallback or an archive',
    },
  );
}
