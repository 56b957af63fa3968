import type { ScheduledItem } from '@parley/protocol/continuity/startup-answer';
import type { StartupAnswer } from '@parley/protocol/continuity/answers';
import type { Page } from '../page.ts';
import { decisions, plain, preferences, rationales, type Section, showSection, stance } from '../sections.ts';
import { nameOf } from '../words.ts';

/** What an agent needs first after a reset, and what is linked to it or due. */
export function showStartup(page: Page, answer: StartupAnswer): void {
  const { startup_summary: summary, graph_summary: graph, schedule_context: schedule } = answer;
  const { orientation, context } = summary ?? {};
  const sections: Section[] = [
    ...(context ? [stance(context.stance_summary)] : []),
    ...(orientation
      ? [
          { name: 'top_priorities', entries: plain(orientation.top_priorities) },
          { name: 'active_constraints', entries: plain(orientation.active_constraints) },
          { name: 'open_loops', entries: plain(orientation.open_loops) },
          { name: 'negative_decisions', entries: decisions(orientation.negative_decisions) },
          { name: 'rationale_entries', entries: rationales(orientation.rationale_entries) },
        ]
      : []),
    ...(context
      ? [
          { name: 'session_trajectory', entries: plain(context.session_trajectory) },
          { name: 'active_concerns', entries: plain(context.active_concerns) },
        ]
      : []),
    { name: 'stable_preferences', entries: preferences(summary?.stable_preferences ?? []) },
    { name: 'due', entries: items(schedule.due.items) },
    { name: 'upcoming', entries: items(schedule.upcoming.items) },
    {
      name: 'linked',
      entries: plain(
        (graph?.edges ?? []).map(
          (edge) => `${edge.source_id} ${nameOf(edge.relationship)} ${edge.target_id}`,
        ),
      ),
    },
  ];
  for (const section of sections) if (section.entries.length > 0) showSection(page, section);
}

const items = (scheduled: readonly ScheduledItem[]) =>
  plain(scheduled.map(({ due_at: dueAt, title }) => `${dueAt} ${title}`));
