import * as declared from '@parley/protocol/continuity/routes';
import type { Platform } from '../platform.ts';
import { CredentialWatch } from '../identity/keys/credential-watch.ts';
import type { IdentityService } from '../identity/service.ts';
import type { Caller } from '../wire/caller.ts';
import { bareResponse } from '../platform/http/bare-response.ts';
import type { RouteTable } from '../platform/http/route-table.ts';
import type { LoggedEvent } from '../platform/streams/event-log.ts';
import { SseFace } from '../platform/streams/sse.ts';
import { framedOnce, sseFrame } from '../platform/streams/sse-frame.ts';
import { SseStream } from '../platform/streams/sse-stream.ts';
import { mayRead, requireScopes } from './access.ts';
import { eventTopic } from './artifacts/record-change.ts';
import type { MemoryLimits } from '../wire/memory/plugin.ts';
import { FOLDER } from './artifacts/paths.ts';

/** How often the credential of an open stream is looked at: one that expires is told nowhere, and a hint may be lost. */
const RECHECK_MS = 30_000;

/** The owner's changes as they happen, after whatever the caller has seen. Ends with the credential it was opened with. */
export function continuityEvents(
  table: RouteTable<Caller>,
  context: Platform & { readonly identity: IdentityService },
  limits: MemoryLimits,
): void {
  const { closing, events, hub, identity, log, wheel } = context;
  const face = new SseFace({ wheel });
  const watch = new CredentialWatch({
    identity,
    wheel,
    everyMs: RECHECK_MS,
    onError: log.failed('continuity_stream_failed'),
  });
  closing.add(() => watch.close());
  const frame = framedOnce(frameOf);
  table.add(declared.events, async ({ caller, query, request, reply }) => {
    await limits.admit(declared.events, caller, request);
    requireScopes(caller, declared.events);
    if (request.method === 'HEAD') return reply.type('text/event-stream').send();
    const topic = eventTopic(caller.ownerId);
    const after = query.after ?? resumeAfter(request.headers['last-event-id']);
    reply.hijack();
    const stream = new SseStream(face, bareResponse(reply), {
      follows: { hub, topic, after, source: events.source(topic) },
      frame: mayRead(caller, FOLDER) ? frame : (event) => visibleFrame(event, caller, frame),
      onClosed: () => unguard(),
    });
    const unguard = watch.guard(caller.credential, () => stream.end());
    return reply;
  });
}

const frameOf = ({ seq, data }: LoggedEvent): string => sseFrame({ id: seq, event: 'capsule', data });

/** What the caller may not read did happen, but it is not told. */
function visibleFrame(event: LoggedEvent, caller: Caller, frame: (event: LoggedEvent) => Buffer): Buffer {
  const { path } = JSON.parse(event.data) as { path: string };
  return mayRead(caller, path) ? frame(event) : HIDDEN;
}

const HIDDEN = Buffer.from(': \n\n');

function resumeAfter(lastEventId: string | string[] | undefined): number {
  const after = Number(lastEventId);
  return Number.isSafeInteger(after) && after > 0 ? after : 0;
}
