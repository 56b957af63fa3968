import { fieldsOf, textOf } from '../fields.ts';

/** The server answered, and the answer is no. Anything else that fails is the network. */
export class RefusedCall extends Error {
  override readonly name: string = 'RefusedCall';
  readonly status: number;
  readonly code: string;

  constructor(status: number, body: unknown) {
    const code = textOf(fieldsOf(body)['error']);
    super(code || `status ${status}`);
    this.status = status;
    this.code = code;
  }
}

/** Stops the request when its time is over, or when the caller says so. */
export async function withDeadline<Value>(
  limitMs: number,
  stop: AbortSignal | undefined,
  request: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const timer = setTimeout(abort, limitMs);
  stop?.addEventListener('abort', abort);
  try {
    return await request(controller.signal);
  } finally {
    clearTimeout(timer);
    stop?.removeEventListener('abort', abort);
  }
}

/** Reads a protocol's refusal. */
export type Refused = (status: number, body: unknown) => RefusedCall;

export async function answerOf(response: Response, refused: Refused): Promise<Record<string, unknown>> {
  const body: unknown = await response.json().catch(() => null);
  if (!response.ok) throw refused(response.status, body);
  return fieldsOf(body);
}

export async function postJson(
  path: string,
  body: object,
  refused: Refused,
  init: RequestInit = {},
): Promise<Record<string, unknown>> {
  return await withDeadline(CALL_LIMIT_MS, undefined, async (signal) => {
    const response = await fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      cache: 'no-store',
      signal,
      ...init,
    });
    return await answerOf(response, refused);
  });
}

const CALL_LIMIT_MS = 20_000;

/** Opens an event stream; null when what answers is not one. */
export async function openStream(
  path: string,
  headers: Record<string, string>,
  refused: Refused,
  signal: AbortSignal,
): Promise<Response | null> {
  const response = await fetch(path, {
    headers: { accept: 'text/event-stream', ...headers },
    cache: 'no-store',
    signal,
  });
  if (!response.ok) await answerOf(response, refused);
  return response.headers.get('content-type')?.startsWith('text/event-stream') ? response : null;
}
