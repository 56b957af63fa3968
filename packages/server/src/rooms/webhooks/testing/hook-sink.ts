import type { WebhookBody } from '@parley/protocol/rooms/types';
import { WebhookSink } from '../../../testing/webhook-sink.ts';

/** A receiver of the hooks of rooms. */
export class HookSink extends WebhookSink<WebhookBody> {
  static open(): Promise<HookSink> {
    return new HookSink().listen();
  }

  types(path = '/hook'): string[] {
    return this.received.filter((hook) => hook.path === path).map(({ body }) => body.type);
  }
}
