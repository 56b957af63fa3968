import { setTimeout as sleep } from 'node:timers/promises';
import { type Actor, type ActorPlace, registerOwner } from './actor.ts';

const PAGE = 100;
/** A list goes no further than its first ten thousand, so they are told apart by their thread. */
const IN_A_THREAD = 5_000;

/** Reminders under a key each. */
export async function scheduleActor(place: ActorPlace): Promise<Actor> {
  const { caller, tally, name } = place;
  let key = '';
  let made = 0;
  return {
    async setUp() {
      key = await registerOwner(place);
    },
    async step() {
      const title = `${name}-${made}`;
      const thread = `${name}-t${Math.floor(made / IN_A_THREAD)}`;
      const body = {
        kind: 'reminder',
        title,
        due_at: '2030-01-01T00:00:00Z',
        thread_id: thread,
        idempotency_key: title,
      };
      await caller.must({ method: 'POST', path: '/v1/schedule/items', body, key });
      made++;
      tally.acked('reminders');
    },
    async check() {
      const found: string[] = [];
      for (let thread = 0; thread * IN_A_THREAD <= made; thread++) {
        for (let offset = 0; ; offset += PAGE) {
          const { items } = await caller.must<{ items: { title: string }[] }>({
            method: 'GET',
            path: `/v1/schedule/items?thread_id=${name}-t${thread}&limit=${PAGE}&offset=${offset}`,
            key,
          });
          found.push(...items.map(({ title }) => title));
          if (items.length < PAGE) break;
        }
      }
      tally.compare(
        'reminder',
        Array.from({ length: made }, (_, at) => `${name}-${at}`),
        found,
      );
    },
  };
}

const DUE_IN_MS = 1500;
const PATIENCE_MS = 60_000;
/** From so long before its time on, nobody can tell whether a fire is early. */
const CLOSE_MS = 200;

interface Cue {
  readonly id: string;
  readonly due: number;
}

interface Looked {
  readonly execution_total: number;
  readonly executions: readonly { readonly created_at: string; readonly scheduled_for: string }[];
}

/** Cues that fire once, soon: one execution each and none early, though whoever was to fire it may have been killed at that moment. */
export async function cueActor(place: ActorPlace): Promise<Actor> {
  const { caller, tally, name } = place;
  let key = '';
  const cues: Cue[] = [];
  let asked = 0;
  let looked = 0;
  const look = (id: string): Promise<Looked> =>
    caller.must<Looked>({ method: 'GET', path: `/v1/cues/${id}`, key });

  /** At the last of those that are half a second from their time. */
  async function lookForEarlyOnes(): Promise<void> {
    const soon = Date.now() + DUE_IN_MS / 3;
    const waiting = cues.slice(looked);
    const at = waiting.findLastIndex(({ due }) => due <= soon);
    const cue = waiting[at];
    if (!cue) return;
    looked += at + 1;
    const { execution_total: total } = await look(cue.id);
    if (total > 0 && Date.now() < cue.due - CLOSE_MS) tally.wrong.push(`${cue.id} fired early`);
  }

  return {
    async setUp() {
      key = await registerOwner(place);
    },
    async step() {
      await lookForEarlyOnes();
      // Names need not differ, and there is no key: one that was cut is made again under another name.
      const due = Date.now() + DUE_IN_MS;
      const at = new Date(due).toISOString();
      const body = { name: `${name}-${asked++}`, schedule: { type: 'once', at }, transport: 'worker' };
      // What was held up until its time had passed is refused.
      const made = await caller.attempt<{ id: string }>(
        { method: 'POST', path: '/v1/cues', body, key },
        'invalid_schedule',
      );
      if (!made) return;
      cues.push({ id: made.id, due });
      tally.acked('cues');
    },
    async check() {
      const until = performance.now() + PATIENCE_MS;
      for (const { id } of cues) {
        for (;;) {
          const { execution_total: total, executions } = await look(id);
          for (const { created_at: at, scheduled_for: due } of executions)
            tally.fired(Date.parse(at) - Date.parse(due));
          if (total > 1) tally.doubled.push(`the fire of ${id}, ${total} times`);
          if (total > 0) break;
          if (performance.now() > until) {
            tally.lost.push(`the fire of ${id}`);
            break;
          }
          await sleep(100);
        }
      }
    },
  };
}
