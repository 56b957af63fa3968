import { type BenchServer, onBothStores } from '../load/both-stores.ts';
import { Connection, rawRequest } from '../load/connection.ts';
import { fillDocuments } from '../load/fill/document-fill.ts';
import { json, registerOwner } from '../load/mail.ts';
import { atMost, median, percentile, round, type ScenarioResult } from '../result.ts';

const DOCUMENTS = Number(process.env['PARLEY_BENCH_DOCUMENTS'] ?? 100_000);
const WRITERS = 32;
/** Written over HTTP; the rest of them goes into the store straight away. */
const BY_HTTP = Math.min(DOCUMENTS, 2_000);
const WORDS_EACH = 120;
const VOCABULARY = 20_000;
const SEARCHES = 400;
const WRITES = 300;
const RETRIEVALS = 200;

/** Documents written and found among very many, and what a task begins with, on both databases. */
export async function knowledge(): Promise<ScenarioResult> {
  const { measured, missing } = await onBothStores(measure);
  const among = `among ${DOCUMENTS.toLocaleString('en')} documents`;
  return {
    name: `knowledge: documents of ${WORDS_EACH} words ${among} (SQLite: WAL, synchronous=FULL; PostgreSQL: fsync)`,
    rows: [
      ...measured.flatMap(({ store, figures }) => [
        {
          label: `${store}: documents per second from ${WRITERS} writers at once`,
          value: String(Math.round(figures.filling)),
        },
        { label: `${store}: the index made anew, seconds`, value: String(round(figures.rebuild, 1)) },
        { label: `${store}: search for one to three words, ms (p50 / p95)`, value: spread(figures.searches) },
        { label: `${store}: the same for the first time, ms (p50 / p95)`, value: spread(figures.fresh) },
        {
          label: `${store}: search for a word of every document, ms (p50 / p95)`,
          value: spread(figures.common),
        },
        { label: `${store}: write of a document, ms (p50 / p95)`, value: spread(figures.writes) },
        { label: `${store}: append of a line to a log, ms (p50 / p95)`, value: spread(figures.appends) },
        {
          label: `${store}: retrieve with four capsules and graph, ms (p50 / p95)`,
          value: spread(figures.retrievals),
        },
      ]),
      ...missing,
    ],
    checks: measured.flatMap(({ store, figures }) => [
      atMost(`${store}: search ${among}, p95, ms`, round(percentile(figures.searches, 0.95)), 20),
      atMost(`${store}: write of a document, p50, ms`, round(median(figures.writes)), 5),
      atMost(`${store}: retrieve, p95, ms`, round(percentile(figures.retrievals, 0.95)), 25),
    ]),
  };
}

const spread = (values: readonly number[]): string =>
  `${round(median(values))} / ${round(percentile(values, 0.95))}`;

/** A few words are in nearly every text and most in hardly any, as in texts that people write. */
function wordOf(at: number): string {
  const share = ((at * 2_654_435_761) % 4_294_967_296) / 4_294_967_296;
  return `w${Math.floor(VOCABULARY ** share).toString(36)}q`;
}

function documentOf(n: number): { path: string; content: string } {
  const words = Array.from({ length: WORDS_EACH }, (_, at) => wordOf(n * WORDS_EACH + at));
  const front = n % 20 === 0 ? `---\nimportance: 0.${n % 9}\n---\n` : '';
  return { path: `projects/${n % 300}/note-${n}.md`, content: `${front}every ${words.join(' ')}` };
}

async function measure({ url, context }: BenchServer) {
  const connections = await Promise.all(Array.from({ length: WRITERS }, () => Connection.open(url)));
  const [connection] = connections;
  if (!connection) throw new Error('there is no connection');
  const { key } = await registerOwner(connection);
  const send = (path: string, body: object, by = connection) =>
    json<{ count?: number }>(by.request(rawRequest('POST', path, body, key)));
  const timed = async (path: string, body: object): Promise<number> => {
    const start = performance.now();
    await send(path, body);
    return performance.now() - start;
  };
  let next = 0;
  const begun = performance.now();
  await Promise.all(
    connections.map(async (by) => {
      while (next < BY_HTTP) await send('/v1/write', documentOf(next++), by);
    }),
  );
  const filling = (BY_HTTP * 1000) / (performance.now() - begun);
  const caller = await context.identity.authenticate(key);
  if (!caller) throw new Error('a key that was just made is not known');
  await fillDocuments(context.database, caller.ownerId, documentOf, { from: BY_HTTP, to: DOCUMENTS });
  const rebuild = (await timed('/v1/index/rebuild', {})) / 1000;
  for (const by of connections.slice(1)) by.close();
  const searchFor = async (at: number): Promise<number> => {
    const count = 1 + (Math.abs(at) % 3);
    const query = Array.from({ length: count }, (_, word) => wordOf(at * 31 + word * 7 + 5_000)).join(' ');
    return await timed('/v1/search', { query });
  };
  const fresh: number[] = [];
  for (let at = 0; at < SEARCHES; at++) fresh.push(await searchFor(at));
  // Others, of which many words were looked for before: people and agents search for what they write about.
  const searches: number[] = [];
  for (let at = SEARCHES; at < 2 * SEARCHES; at++) searches.push(await searchFor(at));
  const common: number[] = [];
  for (let at = -3; at < 20; at++) {
    const took = await timed('/v1/search', { query: 'every' });
    if (at >= 0) common.push(took);
  }
  const writes: number[] = [];
  for (let at = 0; at < WRITES; at++) writes.push(await timed('/v1/write', documentOf(DOCUMENTS + at)));
  const appends: number[] = [];
  for (let at = 0; at < WRITES; at++) {
    const record = { at, text: `${wordOf(at)} ${wordOf(at + 7)}` };
    appends.push(await timed('/v1/append', { path: 'messages/log.jsonl', record }));
  }
  const retrievals = await retrieveOften(send, timed);
  connection.close();
  return { filling, rebuild, searches, fresh, common, writes, appends, retrievals };
}

const list = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${at} ${'text '.repeat(24)}`.trim());

async function retrieveOften(
  send: (path: string, body: object) => Promise<unknown>,
  timed: (path: string, body: object) => Promise<number>,
): Promise<number[]> {
  const now = new Date().toISOString();
  const selectors = ['a', 'b', 'c', 'd'].map((id) => ({ subject_kind: 'thread', subject_id: id }));
  for (const subject of selectors) {
    const capsule = {
      ...subject,
      updated_at: now,
      verified_at: now,
      source: { producer: 'bench', update_reason: 'manual' },
      confidence: { continuity: 0.9, relationship_model: 0.5 },
      continuity: {
        top_priorities: list(8),
        active_concerns: list(5),
        active_constraints: list(8),
        open_loops: list(8),
        stance_summary: 'Carry on where the work stood, and leave the rest as it is.',
        drift_signals: list(5),
        working_hypotheses: list(5),
        related_documents: [{ path: 'projects/1/note-1.md', kind: 'note', label: 'a note' }],
      },
    };
    await send('/v1/continuity/upsert', { ...subject, capsule });
  }
  for (let at = 0; at < 12; at++) {
    await send('/v1/tasks', { task_id: `t${at}`, title: 't', owner_peer: 'bench', thread_id: 'a' });
  }
  const body = { continuity_selectors: selectors, continuity_max_capsules: 4 };
  const retrievals: number[] = [];
  for (let at = -20; at < RETRIEVALS; at++) {
    const task = `look at ${wordOf(at * 31 + 5_000)} and ${wordOf(at * 17 + 9_000)}`;
    const took = await timed('/v1/context/retrieve', { ...body, task });
    if (at >= 0) retrievals.push(took);
  }
  return retrievals;
}
