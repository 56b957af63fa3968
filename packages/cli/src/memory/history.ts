import * as routes from '@parley/protocol/continuity/routes';
import type { HistoryAnswer, Revision } from '@parley/protocol/continuity/list-answers';
import { EXIT } from '../cli-error.ts';
import type { Page } from './page.ts';
import { answered, type MemoryCommandOptions, withMemory } from './server-memory.ts';
import { onlySubject, spelled } from './subject.ts';
import { nameOf } from './words.ts';

export interface HistoryOptions extends MemoryCommandOptions {
  limit?: number | undefined;
  before?: number | undefined;
}

export async function history(words: readonly string[], options: HistoryOptions): Promise<void> {
  const subject = onlySubject(words);
  const { limit, before } = options;
  const { revisions } = await withMemory(options, (memory) =>
    answered<HistoryAnswer>(
      memory,
      routes.history,
      { ...subject, limit, before },
      options,
      (page, answer) => showHistory(page, spelled(subject), answer),
      (answer) => answer.revisions,
    ),
  );
  if (revisions.length === 0 && before === undefined) process.exitCode = EXIT.gone;
}

function showHistory(page: Page, subject: string, { revisions, next_before: next }: HistoryAnswer): void {
  if (revisions.length === 0) page.aside(`Nothing was written for ${subject}.`);
  for (const revision of revisions) showRevision(page, revision);
  if (next === null) return;
  if (!page.terminal.piped) page.gap();
  page.aside(`Older with --before ${next}`, 'dim');
}

function showRevision(page: Page, revision: Revision): void {
  const { revision: number, recorded_at: at, peer_id: author, operation } = revision;
  page.gap();
  page.text({ text: `${number} ${at} ${operation} by ${author}`, style: 'bold' });
  page.text({ text: revision.commit_message }, 2);
  if (revision.reason !== null) page.text({ text: `reason: ${revision.reason}` }, 2);
  const changed = changesOf(revision.changed_fields);
  if (changed !== '') page.text({ text: changed, style: 'dim' }, 2);
}

/** The date changes with every write, and where nothing was before everything is new: neither is worth a list. */
function changesOf(fields: readonly string[]): string {
  if (fields.includes('subject_kind')) return 'written anew';
  const worth = fields.filter((field) => field !== 'updated_at');
  return worth.length === 0 ? '' : `changed: ${worth.map(nameOf).join(', ')}`;
}
