import type { BrowserContext } from 'playwright-core';

/** A stream that a test feeds: a day of changes in a moment. */
export const holdStream = (context: BrowserContext): Promise<unknown> =>
  context.addInitScript(() => {
    const Real = EventSource;
    Object.assign(globalThis, {
      EventSource: class extends Real {
        constructor(url: string) {
          super(url);
          Object.assign(globalThis, { stream: this });
        }
      },
    });
  });

/** Lists of messages that are made in the page: `rows` of them, and at every reading some say something else. */
export const makeThreads = (context: BrowserContext, rows: number): Promise<unknown> =>
  context.addInitScript((count) => {
    const real = globalThis.fetch.bind(globalThis);
    const threads = Array.from({ length: count }, (_, index) => ({
      id: `msg_${index}`,
      owner: 'ann',
      from: 'self@ann',
      to: `agent-${index % 97}@ann`,
      thread_id: `msg_${index}`,
      subject: `Tide table ${index} `,
      priority: 3,
      expects_reply: false,
      state: 'queued',
      proven_stage: 'offered',
      error: null,
      execution_id: `exec_${index}`,
      created_at: '2026-01-01T00:00:00Z',
      updated_at: '2026-01-01T00:00:00Z',
      messages: 1,
      unread: 1,
      stopped_at: null,
    }));
    const readings = { count: 0 };
    const answer = (): Response => {
      readings.count += 1;
      for (let at = readings.count % 7; at < count; at += 7) {
        const thread = threads[at];
        if (thread) thread.subject = `Tide table ${at} reading ${readings.count}`;
      }
      return Response.json({ threads, messages: threads, next: null });
    };
    Object.assign(globalThis, {
      readings,
      fetch: (input: RequestInfo | URL, init?: RequestInit) => {
        const url = input instanceof Request ? input.url : String(input);
        return /\/v1\/console\/(threads|messages)(\?|$)/.test(url)
          ? Promise.resolve(answer())
          : real(input, init);
      },
    });
  }, rows);
