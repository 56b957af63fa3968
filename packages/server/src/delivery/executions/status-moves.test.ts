import { EXECUTION_STATUSES, type ExecutionStatus } from '@parley/protocol/delivery/vocabulary';
import { describe, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { WorkScene } from '../testing/work-scene.ts';
import { patchExecution } from '../records/execution-store.ts';

const MINUTE = 60_000;

/** What happens to an execution, and from which statuses to where it leads. From all others it changes nothing. */
interface Happening {
  readonly mode: 'bg' | 'inbox';
  readonly happens: (work: WorkScene, sent: { id: string; execution_id: string }) => Promise<unknown>;
  readonly from: readonly ExecutionStatus[];
  readonly to: ExecutionStatus;
}

const WAITING = ['pending', 'retrying', 'retry_ready'] as const;

const HAPPENINGS: Readonly<Record<string, Happening>> = {
  'a claim': {
    mode: 'bg',
    happens: (work, sent) => work.max.claim(sent.execution_id),
    from: ['pending', 'retry_ready'],
    to: 'delivering',
  },
  'a live-claim': {
    mode: 'bg',
    happens: (work, sent) => work.max.liveClaim(sent.execution_id, { session_token: 'grace' }),
    from: WAITING,
    to: 'delivering',
  },
  'an ack': {
    mode: 'bg',
    happens: (work, sent) => work.max.mark(sent.id, 'ack'),
    from: WAITING,
    to: 'success',
  },
  'a fetch': { mode: 'inbox', happens: (work) => work.max.inbox(work.slug), from: WAITING, to: 'success' },
  'the end of its agent': {
    mode: 'bg',
    happens: (work) => work.max.call('DELETE', `/v1/agents/${work.slug}`),
    from: WAITING,
    to: 'failed',
  },
  'the end of its message': {
    mode: 'inbox',
    happens: async (work, { id }) => {
      await work.later(2 * MINUTE);
      await expect.poll(() => work.max.message(id)).toMatchObject({ state: 'expired' });
    },
    from: WAITING,
    to: 'missed',
  },
  'a reported success': {
    mode: 'bg',
    happens: (work, sent) => work.max.outcome(sent.execution_id, { success: true }),
    from: EXECUTION_STATUSES,
    to: 'success',
  },
  'a reported failure': {
    mode: 'bg',
    happens: (work, sent) => work.max.outcome(sent.execution_id, { success: false }),
    from: EXECUTION_STATUSES,
    to: 'failed',
  },
};

describeEachServer('execution › what moves it', (start) => {
  const work = new WorkScene(start);

  describe.each(Object.entries(HAPPENINGS))('%s', (_name, { mode, happens, from, to }) => {
    test.each(EXECUTION_STATUSES)('finds it %s', async (status) => {
      const sent = await work.max.send(work.slug, { delivery_mode: mode, ttl_seconds: 60 });
      // Those that only a transport or the clock can bring about are put there directly.
      await work.server.context.database.write((tx) => patchExecution(tx, sent.execution_id, { status }));
      await happens(work, sent);
      const after = await work.max.execution(sent.execution_id);
      expect(after.status).toBe(from.includes(status) ? to : status);
    });
  });

  describe('nobody takes it for 15 minutes', () => {
    test.each(EXECUTION_STATUSES)('finds it %s', async (status) => {
      const sent = await work.push();
      await work.server.context.database.write((tx) => patchExecution(tx, sent.execution_id, { status }));
      await work.later(15 * MINUTE);
      const missed = status === 'pending' || status === 'retry_ready';
      await expect
        .poll(() => work.max.execution(sent.execution_id))
        .toMatchObject({ status: missed ? 'missed' : status });
    });
  });
});
