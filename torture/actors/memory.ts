import { type Actor, type ActorPlace, createAgent, registerOwner } from './actor.ts';

const LINES = 100;

/** Lines added to documents. There is no key for a repetition: after a cut it is looked up whether the line is there. */
export async function documentActor(place: ActorPlace): Promise<Actor> {
  const { caller, tally, name } = place;
  let key = '';
  let lines = 0;
  const pathOf = (line: number): string => `journal/${name}-${Math.floor(line / LINES)}.jsonl`;
  const read = async (line: number): Promise<number[]> => {
    const { status, body } = await caller.insist({
      method: 'GET',
      path: `/v1/read?path=${pathOf(line)}`,
      key,
    });
    if (status === 404) return [];
    const { content } = JSON.parse(body) as { content: string };
    return content
      .split('\n')
      .filter((text) => text !== '')
      .map((text) => (JSON.parse(text) as { n: number }).n);
  };
  return {
    async setUp() {
      key = await registerOwner(place);
    },
    async step() {
      const request = {
        method: 'POST',
        path: '/v1/append',
        body: { path: pathOf(lines), record: { n: lines } },
        key,
      } as const;
      const done = await caller.attempt(request);
      if (!done && !(await read(lines)).includes(lines)) return;
      lines++;
      tally.acked('documents');
    },
    async check() {
      for (let first = 0; first < lines; first += LINES) {
        const found = await read(first);
        const wanted = Array.from({ length: Math.min(LINES, lines - first) }, (_, at) => first + at);
        tally.compare(`line of ${pathOf(first)}`, wanted.map(String), found.map(String));
        if (found.some((line, at) => line !== first + at))
          tally.wrong.push(`${pathOf(first)} is out of order`);
      }
    },
  };
}

const timeOf = (write: number): string =>
  `${new Date(Date.UTC(2026, 0, 1) + write * 1000).toISOString().slice(0, 19)}Z`;

/** As many as one page of the history has. */
const REVISIONS = 100;

/** A capsule written over and over: the last acknowledged state is there, and each state is one revision. */
export async function capsuleActor(place: ActorPlace): Promise<Actor> {
  const { caller, tally, name } = place;
  let key = '';
  let writes = 0;
  return {
    async setUp() {
      key = await registerOwner(place);
    },
    async step() {
      const body = upsert(name, timeOf(writes), `${name}-${writes}`);
      await caller.must({ method: 'POST', path: '/v1/continuity/upsert', body, key });
      writes++;
      tally.acked('capsules');
    },
    async check() {
      if (writes === 0) return;
      const subject = { subject_kind: 'thread', subject_id: name };
      const { body } = await caller.insist({
        method: 'POST',
        path: '/v1/continuity/read',
        body: subject,
        key,
      });
      if (!body.includes(`"${name}-${writes - 1}"`)) tally.lost.push(`the last state of the capsule ${name}`);
      const { revisions } = await caller.must<{ revisions: { revision: number }[] }>({
        method: 'POST',
        path: '/v1/continuity/history',
        body: { ...subject, limit: REVISIONS },
        key,
      });
      const latest = revisions[0]?.revision ?? 0;
      if (latest < writes) tally.lost.push(`${writes - latest} revisions of the capsule ${name}`);
      if (revisions.some(({ revision }, at) => revision !== latest - at))
        tally.wrong.push(`the revisions of the capsule ${name} have a gap`);
      if (latest > writes) tally.doubled.push(`${latest - writes} revisions of the capsule ${name}`);
    },
  };
}

export const upsert = (subject: string, at: string, text: string): object => ({
  subject_kind: 'thread',
  subject_id: subject,
  idempotency_key: text,
  capsule: {
    subject_kind: 'thread',
    subject_id: subject,
    updated_at: at,
    verified_at: at,
    source: { producer: 'torture', update_reason: 'manual' },
    continuity: {
      top_priorities: [text],
      active_concerns: [],
      active_constraints: [],
      open_loops: [],
      stance_summary: 'Small steps.',
      drift_signals: [],
    },
    confidence: { continuity: 0.9, relationship_model: 0.5 },
    thread_descriptor: { label: 'Tides' },
  },
});

const PAGE = 100;

/** Handoffs have no key for a repetition either: what was cut may be there or not, but only once. */
export async function handoffActor(place: ActorPlace): Promise<Actor> {
  const { caller, tally, name } = place;
  let key = '';
  let asked = 0;
  const acked: string[] = [];
  return {
    async setUp() {
      key = await registerOwner(place);
      await createAgent(place, key, 'peer');
      // A peer is who has a key.
      await caller.must({ method: 'POST', path: '/v1/keys', body: { agent: 'peer' }, key });
      const body = upsert(name, '2026-01-01T00:00:00Z', name);
      await caller.must({ method: 'POST', path: '/v1/continuity/upsert', body, key });
    },
    async step() {
      asked++;
      const note = `${name}-${asked}`;
      const body = { recipient_peer: 'peer', subject_kind: 'thread', subject_id: name, note };
      const request = { method: 'POST', path: '/v1/coordination/handoff/create', body, key } as const;
      if (!(await caller.attempt(request))) return;
      acked.push(note);
      tally.acked('handoffs');
    },
    async check() {
      const found: string[] = [];
      for (let offset = 0; ; offset += PAGE) {
        const { handoffs } = await caller.must<{ handoffs: { note: string }[] }>({
          method: 'GET',
          path: `/v1/coordination/handoffs/query?sender_peer=self&limit=${PAGE}&offset=${offset}`,
          key,
        });
        found.push(...handoffs.map(({ note }) => note));
        if (handoffs.length < PAGE) break;
      }
      tally.compare('handoff', acked, found);
    },
  };
}
