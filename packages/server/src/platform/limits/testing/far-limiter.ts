import type { Limiter } from '../limiter.ts';

async function later<Answer>(answer: () => Answer | Promise<Answer>): Promise<Answer> {
  await new Promise((resolve) => void setImmediate(resolve));
  return await answer();
}

/** As a limiter over a network: all who ask at the same time are told of the same room. */
export function farLimiter(near: Limiter): Limiter {
  return {
    take: (key, cost) => later(() => near.take(key, cost)),
    peek: (key, cost) => later(() => near.peek(key, cost)),
  };
}
