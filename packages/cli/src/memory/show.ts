import * as routes from '@parley/protocol/continuity/routes';
import type { Capsule } from '@parley/protocol/continuity/capsule';
import type { ReadAnswer, StartupAnswer } from '@parley/protocol/continuity/answers';
import { CliError, EXIT } from '../cli-error.ts';
import type { Page } from './page.ts';
import { sectionsOf, showSection } from './sections.ts';
import { answered, type MemoryCommandOptions, withMemory } from './server-memory.ts';
import { showStartup } from './views/startup-view.ts';
import { onlySubject, spelled, type Subject } from './subject.ts';
import { showTrust } from './views/trust-view.ts';
import { warningsOf } from './warnings.ts';
import { ago, nameOf } from './words.ts';

export interface ShowOptions extends MemoryCommandOptions {
  startup?: boolean | undefined;
  fallback: boolean;
  revision?: number | undefined;
  section?: readonly string[] | undefined;
}

export async function show(words: readonly string[], options: ShowOptions): Promise<void> {
  const subject = onlySubject(words);
  const request = {
    ...subject,
    allow_fallback: options.fallback,
    ...(options.startup && { view: 'startup' }),
    ...(options.revision !== undefined && { revision: options.revision }),
  };
  const { capsule } = await withMemory(options, (memory) =>
    answered<ReadAnswer | StartupAnswer>(memory, routes.read, request, options, (page, answer) =>
      showAnswer(page, subject, answer, options),
    ),
  );
  if (!capsule) process.exitCode = EXIT.gone;
}

function showAnswer(
  page: Page,
  subject: Subject,
  answer: ReadAnswer | StartupAnswer,
  { section: wanted, revision }: ShowOptions,
): void {
  const { capsule } = answer;
  const summary = 'startup_summary' in answer ? answer.startup_summary : undefined;
  showHead(page, subject, capsule, answer, revision);
  for (const warning of warningsOf(answer, summary?.recovery.recovery_warnings)) {
    page.item('!', { text: warning, style: 'yellow' });
  }
  if (!capsule) {
    page.gap();
    page.text({ text: '"parley memory list" shows what there is.' });
    return;
  }
  const sections = sectionsOf(capsule);
  if (wanted) {
    for (const name of wanted) {
      const found = sections.find((each) => each.name === fieldName(name));
      if (!found)
        throw unknownSection(
          name,
          sections.map((each) => each.name),
        );
      showSection(page, found);
    }
    return;
  }
  showTrust(page, capsule, answer.trust_signals);
  if ('startup_summary' in answer) showStartup(page, answer);
  else for (const each of sections) if (each.entries.length > 0) showSection(page, each);
}

const fieldName = (given: string): string =>
  given
    .toLowerCase()
    .replaceAll(/[ -]/g, '_')
    .replace(/^continuity\./, '');

const unknownSection = (name: string, known: readonly string[]): CliError =>
  new CliError(
    'unknown_section',
    `parley: no section ${JSON.stringify(name)}; there are ${known.join(', ')}`,
    { exitCode: EXIT.misuse },
  );

function showHead(
  page: Page,
  subject: Subject,
  capsule: Capsule | null,
  { path, trust_signals: trust }: ReadAnswer,
  revision: number | undefined,
): void {
  const descriptor = capsule?.thread_descriptor;
  page.text({
    text: spelled(capsule ?? subject) + (descriptor ? `: ${descriptor.label}` : ''),
    style: 'bold',
  });
  page.line([{ text: path, style: 'dim' }]);
  if (!capsule) {
    page.gap();
    return;
  }
  const { source, updated_at: updatedAt } = capsule;
  const age = trust ? ` (${ago(trust.recency.updated_age_seconds)})` : '';
  const state = descriptor?.lifecycle === undefined ? '' : `${descriptor.lifecycle}; `;
  const which = revision === undefined ? '' : `revision ${revision}; `;
  page.text({
    text: `${which}${state}updated ${updatedAt}${age} by ${source.producer} (${nameOf(source.update_reason)})`,
  });
  page.gap();
}
