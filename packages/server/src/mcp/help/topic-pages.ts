import { SNAPSHOT_FIELDS } from '@parley/protocol/continuity/hook-points';
import { toolNamed } from '@parley/protocol/tools/tools';
import { exampleArguments } from './example-arguments.ts';
import type { Advice } from './help-page.ts';

interface Topic extends Advice {
  readonly read_operations: readonly string[];
  readonly write_operations: readonly string[];
  /** The tool whose least arguments it shows. */
  readonly shows: string;
  readonly more?: object;
}

const TOPICS: Readonly<Record<string, Topic>> = {
  'continuity.read.startup_view': {
    purpose: 'A capsule with a summary to carry on from, trust signals, what is due, and what is linked.',
    when_to_use: 'As the first call of a session, before anything is written.',
    read_operations: ['continuity.read'],
    write_operations: [],
    shows: 'continuity.read',
    common_mistakes: [
      'Writing before reading.',
      'Leaving out allow_fallback and getting an error where an older state was there.',
    ],
    correction_hints: ['Pass the answer on to the model unchanged: it is ordered and bounded already.'],
  },
  'continuity.read.trust_signals': {
    purpose:
      'How far a capsule can be relied on: how fresh it is, how complete, whether it was checked, and what was cut.',
    when_to_use: 'Whenever a capsule was read, before it is acted on.',
    read_operations: ['continuity.read', 'continuity.compare'],
    write_operations: ['continuity.revalidate'],
    shows: 'continuity.read',
    common_mistakes: ['Taking a stale or degraded capsule for the present state.'],
    correction_hints: ['Look at what can be observed, then confirm or correct with continuity.revalidate.'],
  },
  'continuity.upsert.session_end_snapshot': {
    purpose: `A short form for the end of a session: it may set ${SNAPSHOT_FIELDS.join(', ')}; all else of the capsule stays.`,
    when_to_use: 'When a session ends and only those fields changed.',
    read_operations: ['continuity.read'],
    write_operations: ['continuity.upsert'],
    shows: 'continuity.upsert',
    more: {
      session_end_snapshot: {
        open_loops: ['answer the review'],
        top_priorities: ['finish the parser'],
        active_constraints: ['no new dependencies'],
        stance_summary: 'Finish the parser before anything new is begun.',
      },
    },
    common_mistakes: ['Using it when another field changed too: that change would be lost.'],
    correction_hints: ['Otherwise send the whole capsule, or only what changes with merge_mode preserve.'],
  },
  'last-mile-adapter': {
    purpose:
      'The part between a runtime and this server: it reads at startup, retrieves before a prompt, and writes after one if something changed.',
    when_to_use: 'When a runtime is connected that has hooks, or could have them.',
    read_operations: ['continuity.read', 'context.retrieve'],
    write_operations: ['continuity.upsert', 'coordination.handoff_create'],
    shows: 'context.retrieve',
    common_mistakes: [
      'Storing prompts, transcripts, tool output or retrieved text.',
      'Writing although nothing changed.',
    ],
    correction_hints: ['parley hook does it for runtimes that call a command; /v1/help/hooks has the rules.'],
  },
};

export const topicNames = (): readonly string[] => Object.keys(TOPICS);

export function topicPage(id: string): object | undefined {
  const topic = Object.hasOwn(TOPICS, id) ? TOPICS[id] : undefined;
  if (!topic) return undefined;
  const { shows, more, common_mistakes, correction_hints, ...rest } = topic;
  const tool = toolNamed(shows);
  return {
    kind: 'topic',
    id,
    ...rest,
    minimal_payload: { ...(tool && exampleArguments(tool)), ...more },
    common_mistakes,
    correction_hints,
  };
}
