import type { Connection } from './connection.ts';

export interface LoopResult {
  readonly perSecond: number;
  /** Milliseconds of every request. */
  readonly latencies: number[];
}

/** Every connection asks for its next request and sends it as soon as the answer to the last one is there, for `ms`. */
export async function closedLoop(
  connections: readonly Connection[],
  request: (connection: number) => string,
  ms: number,
): Promise<LoopResult> {
  const latencies: number[] = [];
  const start = performance.now();
  const end = start + ms;
  await Promise.all(
    connections.map(async (connection, index) => {
      for (let now = performance.now(); now < end; ) {
        const { status, body } = await connection.request(request(index));
        if (status !== 200 && status !== 201)
          throw new Error(`unexpected answer ${status}: ${body.slice(0, 200)}`);
        const answered = performance.now();
        latencies.push(answered - now);
        now = answered;
      }
    }),
  );
  return { perSecond: latencies.length / ((performance.now() - start) / 1000), latencies };
}
