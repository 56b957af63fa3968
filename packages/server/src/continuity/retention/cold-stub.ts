import type { Capsule } from '@parley/protocol/continuity/capsule';
import { cutChars } from '../../platform/chars.ts';
import { ageingOf, phaseAt } from '../read/freshness.ts';
import { archiveNameOf, coldPayloadPath } from '../artifacts/paths.ts';
import { slugOf } from '../capsule/subject.ts';

const TYPE = 'continuity_cold_stub';
const VERSION = '"1.1"';

interface Packed {
  readonly capsule: Capsule;
  /** Where its archive was. */
  readonly path: string;
  readonly archivedAt: string;
  readonly coldStoredAt: string;
  readonly now: number;
}

const FRONT: Readonly<Record<string, (of: Packed) => string>> = {
  type: () => TYPE,
  schema_version: () => VERSION,
  artifact_state: () => 'cold',
  subject_kind: ({ capsule }) => capsule.subject_kind,
  subject_id: ({ capsule }) => capsule.subject_id,
  source_archive_path: ({ path }) => path,
  cold_storage_path: ({ path }) => coldPayloadPath(path),
  archived_at: ({ archivedAt }) => archivedAt,
  cold_stored_at: ({ coldStoredAt }) => coldStoredAt,
  verification_kind: ({ capsule }) => capsule.verification_kind ?? '',
  verification_status: ({ capsule }) => capsule.verification_state?.status ?? 'unverified',
  health_status: ({ capsule }) => capsule.capsule_health?.status ?? 'healthy',
  freshness_class: ({ capsule }) => capsule.freshness?.freshness_class ?? '',
  phase: ({ capsule, now }) => phaseAt(ageingOf(capsule), now),
  update_reason: ({ capsule }) => capsule.source.update_reason,
};
const KEYS = Object.keys(FRONT);

/** What stays readable of a capsule that is packed away: enough to know whether to unpack it. */
export function stubText(packed: Packed): string {
  const front = Object.entries(FRONT).map(([key, valueOf]) => `${key}: ${oneLine(valueOf(packed))}`);
  return `---\n${front.join('\n')}\n---\n${sections(packed.capsule).join('\n')}\n`;
}

function sections({ continuity }: Capsule): string[] {
  const bullets = (items: readonly string[], most: number, chars = 160): string =>
    items
      .slice(0, most)
      .map((item) => `- ${oneLine(cutChars(item, chars))}`)
      .join('\n');
  const decisions = continuity.negative_decisions.map(
    ({ decision, rationale }) => `decision: ${decision} | rationale: ${rationale}`,
  );
  const rationale = continuity.rationale_entries
    .filter(({ status }) => status === 'active')
    .map(({ kind, tag, summary }) => `[${kind}] ${tag}: ${cutChars(summary, 160)}`);
  const bodies: Readonly<Record<string, string>> = {
    top_priorities: bullets(continuity.top_priorities, 3),
    active_constraints: bullets(continuity.active_constraints, 3),
    active_concerns: bullets(continuity.active_concerns, 3),
    open_loops: bullets(continuity.open_loops, 3),
    stance_summary: oneLine(cutChars(continuity.stance_summary, 240)),
    drift_signals: bullets(continuity.drift_signals, 5),
    session_trajectory: bullets(continuity.session_trajectory, 3, 80),
    trailing_notes: bullets(continuity.trailing_notes, 3),
    curiosity_queue: bullets(continuity.curiosity_queue, 3, 120),
    negative_decisions: bullets(decisions, 2),
    rationale_entries: bullets(rationale, 3, UNCUT),
  };
  return Object.entries(bodies).map(([name, body]) => `## ${name}\n${body}`);
}

/** The summary was cut before it was put together with its tag. */
const UNCUT = 1_000;

const oneLine = (text: string): string => text.replaceAll(/\r\n|\r|\n/g, ' ');

/** The front matter of a stub by key, or why it is none. */
export function parseStub(text: string): ReadonlyMap<string, string> | string {
  const lines = text.split('\n');
  const end = lines.indexOf('---', 1);
  if (lines[0] !== '---' || end < 0) return 'Invalid continuity cold stub front matter';
  const entries = lines.slice(1, end).map((line): [string, string] => {
    const colon = line.indexOf(':');
    if (colon < 0) return [line, ''];
    // One blank belongs to the form, any other to the value.
    return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
  });
  if (entries.length !== KEYS.length || entries.some(([key], index) => key !== KEYS[index])) {
    return 'Invalid continuity cold stub keys';
  }
  const values = new Map(entries);
  if (values.get('type') !== TYPE) return 'Invalid continuity cold stub type';
  if (values.get('schema_version') !== VERSION) return 'Invalid continuity cold stub schema_version';
  if (values.get('artifact_state') !== 'cold') return 'Invalid continuity cold stub artifact_state';
  return values;
}

/** The stub at a path must speak of the archive of the same name. */
export function openStub(text: string, archive: string): ReadonlyMap<string, string> | string {
  const values = parseStub(text);
  if (typeof values === 'string') return values;
  if (values.get('source_archive_path') !== archive) {
    return 'Continuity cold stub source_archive_path does not match its name';
  }
  if (values.get('cold_storage_path') !== coldPayloadPath(archive)) {
    return 'Continuity cold stub cold_storage_path does not match its name';
  }
  const name = archiveNameOf(archive);
  if (values.get('subject_kind') !== name?.kind || slugOf(values.get('subject_id') ?? '') !== name?.slug) {
    return 'Continuity cold stub subject does not match its name';
  }
  return values;
}
