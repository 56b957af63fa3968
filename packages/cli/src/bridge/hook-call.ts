import type { Clock } from '@parley/sdk/channels/clock';
import { NodeTransport } from '@parley/sdk/channels/node-transport';
import { TransportError } from '@parley/sdk/channels/transport';
import type { HookConfig } from './kept/config.ts';
import { reasonOf } from './failures.ts';
import { hookBody } from './wake-contract.ts';

/** The runtime gives up by itself before we do. */
const GRACE_MS = 30_000;

/**
 * Calls the runtime's hook once, on a connection of its own and through no proxy: a kept connection that turned out to be
 * closed would leave open whether the runtime was called. Redirects are not followed: they would take the hook's token along.
 */
export async function callHook(
  hook: HookConfig,
  message: string,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<void> {
  const limitMs = hook.timeoutSeconds * 1000 + GRACE_MS;
  const stop = new AbortController();
  const limit = clock.after(limitMs, () => stop.abort());
  const transport = new NodeTransport(hook.url.origin, {});
  try {
    const answer = await transport.request({
      method: 'POST',
      path: hook.url.pathname + hook.url.search,
      headers: { authorization: `Bearer ${hook.token ?? ''}` },
      body: JSON.stringify(hookBody(hook, message)),
      timeoutMs: limitMs,
      signal: AbortSignal.any([stop.signal, signal]),
    });
    if (answer.status < 200 || answer.status > 299) {
      throw new Error(`the hook answered with ${answer.status}`);
    }
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    const late = stop.signal.aborted || error.failure === 'timeout';
    if (late) throw new Error(`the hook gave no answer within ${limitMs / 1000} s`, { cause: error });
    throw new Error(`the hook gave no answer: ${reasonOf(error.cause ?? error)}`, { cause: error });
  } finally {
    limit.cancel();
    transport.close();
  }
}
