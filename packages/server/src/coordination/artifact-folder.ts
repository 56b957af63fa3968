import { z } from 'zod';
import { type ForeignFolder, jsonDocument } from '../continuity/import/foreign-folder.ts';
import type { Journal } from '../continuity/journal.ts';
import { columnText } from '../continuity/artifacts/artifact.ts';
import { type ArtifactKind, FOLDER, idAt } from './artifact.ts';
import {
  type ArtifactRow,
  findArtifact,
  insertArtifact,
  type Party,
  removeArtifact,
} from './artifact-store.ts';
import { folderTime } from './folder-time.ts';

const link = z.string().nullish();
const peers = z.array(z.string());
const version = z.int().min(1);

/** What an artifact has to say so that it can be found and shown; the rest of it is kept as it stands. */
const SHAPES = {
  handoff: z.looseObject({
    schema_type: z.literal('continuity_handoff'),
    handoff_id: z.string(),
    created_at: folderTime,
    sender_peer: z.string(),
    recipient_peer: z.string(),
    recipient_status: z.string(),
    task_id: link,
    thread_id: link,
  }),
  shared: z.looseObject({
    schema_type: z.literal('coordination_shared_state'),
    shared_id: z.string(),
    updated_at: folderTime,
    owner_peer: z.string(),
    participant_peers: peers,
    version,
    task_id: link,
    thread_id: link,
  }),
  reconciliation: z.looseObject({
    schema_type: z.literal('coordination_reconciliation_record'),
    reconciliation_id: z.string(),
    updated_at: folderTime,
    owner_peer: z.string(),
    participant_peers: peers,
    claims: z.array(z.looseObject({ claimant_peer: z.string() })),
    classification: z.string(),
    status: z.string(),
    version,
    task_id: link,
    thread_id: link,
  }),
} as const;

type Columns = Pick<
  ArtifactRow,
  'version' | 'status' | 'classification' | 'sorted_at' | 'task_id' | 'thread_id'
>;
interface Read {
  readonly kind: ArtifactKind;
  readonly id: string;
  readonly text: string;
  readonly columns: Columns;
  readonly parties: readonly Party[];
}

/** Handoffs, shared states and reconciliations as they lie in a folder; nobody is sent a message about those. */
export function artifactFolder(journal: Journal): ForeignFolder {
  return {
    folder: FOLDER,
    holds: (path) => idAt(path) !== undefined,
    fault(path, bytes) {
      const read = readAt(path, bytes);
      return typeof read === 'string' ? read : undefined;
    },
    async take(tx, ownerId, { path, bytes }, { peerId, now, raw }) {
      const read = readAt(path, bytes);
      if (typeof read === 'string') return { kind: 'refused', error: read };
      const { kind, id, text, columns, parties } = read;
      await tx.lock(`coordination:${ownerId}:${id}`);
      const present = await findArtifact(tx, ownerId, kind, id);
      if (present?.document === text) return { kind: 'unchanged' };
      if (present && !raw && present.version > columns.version) {
        return { kind: 'refused', error: 'a newer version of it is there' };
      }
      if (present) await removeArtifact(tx, present);
      const row = { owner_id: ownerId, kind, artifact_id: id, document: text, message_id: null, ...columns };
      await insertArtifact(tx, row, parties);
      await journal.record(tx, {
        ownerId,
        kind,
        slug: id,
        operation: 'coordination.import',
        path,
        document: text,
        now,
        peerId,
        commitMessage: `coordination: import ${path}`,
      });
      return { kind: 'taken' };
    },
  };
}

function readAt(path: string, bytes: Uint8Array): Read | string {
  const place = idAt(path);
  const document = jsonDocument(bytes);
  if (!place || !document) return 'not the JSON of a coordination artifact';
  const read = PARTS[place.kind](document.value);
  if (!read) return `not a ${place.kind}`;
  if (read.id !== place.id) return 'its id is not that of its path';
  return { ...read, kind: place.kind, text: document.text };
}

type Parts = Pick<Read, 'id' | 'columns' | 'parties'>;

const PARTS: Readonly<Record<ArtifactKind, (value: unknown) => Parts | undefined>> = {
  handoff(value) {
    const { data } = SHAPES.handoff.safeParse(value);
    if (!data) return undefined;
    const { recipient_status: status, created_at: at } = data;
    return {
      id: data.handoff_id,
      // One that was consumed is the second state of it.
      columns: columnsOf(data, status === 'pending' ? 1 : 2, at, status),
      parties: [
        { role: 'sender', peer: data.sender_peer },
        { role: 'recipient', peer: data.recipient_peer },
      ],
    };
  },
  shared(value) {
    const { data } = SHAPES.shared.safeParse(value);
    if (!data) return undefined;
    const others = data.participant_peers.map((peer) => ({ role: 'participant' as const, peer }));
    return {
      id: data.shared_id,
      columns: columnsOf(data, data.version, data.updated_at, null),
      parties: [owner(data.owner_peer), ...others],
    };
  },
  reconciliation(value) {
    const { data } = SHAPES.reconciliation.safeParse(value);
    if (!data) return undefined;
    const { classification } = data;
    const claimants = data.claims.map(({ claimant_peer: peer }) => ({ role: 'claimant' as const, peer }));
    return {
      id: data.reconciliation_id,
      columns: { ...columnsOf(data, data.version, data.updated_at, data.status), classification },
      parties: [owner(data.owner_peer), ...claimants],
    };
  },
};

const owner = (peer: string): Party => ({ role: 'owner', peer });

const columnsOf = (
  {
    task_id: task,
    thread_id: thread,
  }: { task_id?: string | null | undefined; thread_id?: string | null | undefined },
  at: number,
  sortedAt: string,
  status: string | null,
): Columns => ({
  version: at,
  status,
  classification: null,
  sorted_at: sortedAt,
  task_id: task == null ? null : columnText(task),
  thread_id: thread == null ? null : columnText(thread),
});
