import type { HandoffStatus } from '@parley/protocol/coordination/vocabulary';
import { z } from 'zod';
import { columnText } from '../continuity/artifacts/artifact.ts';
import type { ArtifactKind, Artifacts } from './artifact.ts';
import type { FilingRow, Party } from './artifact-store.ts';
import { folderTime } from './folder-time.ts';

const links = { task_id: z.string().nullish(), thread_id: z.string().nullish() };
const board = {
  updated_at: folderTime,
  owner_peer: z.string(),
  participant_peers: z.array(z.string()),
  version: z.int().min(1),
  ...links,
};

/** What an artifact has to say so that it can be found and shown; the rest of it is kept as it stands. */
const SHAPES = {
  handoff: z.looseObject({
    schema_type: z.literal('continuity_handoff'),
    handoff_id: z.string(),
    created_at: folderTime,
    sender_peer: z.string(),
    recipient_peer: z.string(),
    recipient_status: z.string(),
    ...links,
  }),
  shared: z.looseObject({
    schema_type: z.literal('coordination_shared_state'),
    shared_id: z.string(),
    ...board,
  }),
  reconciliation: z.looseObject({
    schema_type: z.literal('coordination_reconciliation_record'),
    reconciliation_id: z.string(),
    claims: z.array(z.looseObject({ claimant_peer: z.string() })),
    classification: z.string(),
    status: z.string(),
    ...board,
  }),
} as const;

type Shaped = { readonly [Kind in ArtifactKind]: z.output<(typeof SHAPES)[Kind]> };

/** What an artifact is found and sorted by, and who has to do with it. */
export interface Filing {
  readonly id: string;
  readonly columns: ReturnType<typeof filedColumns>;
  readonly parties: readonly Party[];
}

export const filingOf: {
  readonly [Kind in ArtifactKind]: (artifact: Artifacts[Kind] | Shaped[Kind]) => Filing;
} = {
  handoff: (said) => ({
    id: said.handoff_id,
    columns: filedColumns(said, {
      // One that was consumed is the second state of it.
      version: said.recipient_status === ('pending' satisfies HandoffStatus) ? 1 : 2,
      status: said.recipient_status,
      sorted_at: said.created_at,
    }),
    parties: [
      { role: 'sender', peer: said.sender_peer },
      { role: 'recipient', peer: said.recipient_peer },
    ],
  }),
  shared: (said) => ({
    id: said.shared_id,
    columns: filedColumns(said, { version: said.version, sorted_at: said.updated_at }),
    parties: [
      { role: 'owner', peer: said.owner_peer },
      ...said.participant_peers.map((peer) => ({ role: 'participant' as const, peer })),
    ],
  }),
  reconciliation: (said) => ({
    id: said.reconciliation_id,
    columns: filedColumns(said, {
      version: said.version,
      status: said.status,
      classification: said.classification,
      sorted_at: said.updated_at,
    }),
    parties: [
      { role: 'owner', peer: said.owner_peer },
      ...said.claims.map(({ claimant_peer: peer }) => ({ role: 'claimant' as const, peer })),
    ],
  }),
};

type Link = string | null | undefined;
type Own = Pick<FilingRow, 'version' | 'sorted_at'> & Partial<Pick<FilingRow, 'status' | 'classification'>>;

const filedColumns = (
  { task_id: task, thread_id: thread }: { task_id?: Link; thread_id?: Link },
  own: Own,
) => ({
  status: null,
  classification: null,
  ...own,
  task_id: task == null ? null : columnText(task),
  thread_id: thread == null ? null : columnText(thread),
});

const readAs =
  <Said>(shape: z.ZodType<Said>, file: (said: Said) => Filing) =>
  (value: unknown): Filing | undefined => {
    const { data } = shape.safeParse(value);
    return data === undefined ? undefined : file(data);
  };

/** The same of one from elsewhere; undefined when it is none. */
export const filingIn: Readonly<Record<ArtifactKind, (value: unknown) => Filing | undefined>> = {
  handoff: readAs(SHAPES.handoff, filingOf.handoff),
  shared: readAs(SHAPES.shared, filingOf.shared),
  reconciliation: readAs(SHAPES.reconciliation, filingOf.reconciliation),
};
