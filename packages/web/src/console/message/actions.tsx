import { consoleMessageCancel } from '@parley/protocol/console/action-routes';
import { consoleMessages, type MessagesAnswer } from '@parley/protocol/console/view-routes';
import { messageSend, threadResume } from '@parley/protocol/delivery/message-routes';
import type { MessageAnswer } from '@parley/protocol/delivery/types';
import { type MessageState, STILL_HERE } from '@parley/protocol/delivery/vocabulary';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { api, ownerIn, useAnswer } from '../data.ts';
import { Form } from '../pieces/dialog.tsx';
import { attempt, tell } from '../pieces/toasts.tsx';
import { sendAgain, tryAgain } from './send-again.ts';

/** The push is over: it can be routed by what is true now. */
const ROUTED: ReadonlySet<MessageState> = new Set(['failed', 'delivered', 'read', 'expired']);

export function MessageActions({ message, owner }: { readonly message: MessageAnswer; readonly owner: string }) {
  const [open, setOpen] = useState<'reply' | 'cancel' | undefined>();
  const [, navigate] = useLocation();
  const close = (): void => setOpen(undefined);
  const again = (): Promise<void> =>
    attempt(async () => {
      const sent = await sendAgain(message.id, owner);
      navigate(`/messages/${sent.id}`);
      tell('Sent again, as a new message in the thread');
    });
  const reroute = (): Promise<void> => attempt(() => tryAgain(message.id, owner), 'Routed anew, by the way that is open now');
  const query = { thread: message.thread_id, limit: 1 };
  const thread = useAnswer<MessagesAnswer>(consoleMessages, { input: { query }, owner, kinds: ['messages'] });
  const resume = (): Promise<void> =>
    attempt(async () => {
      await api.call(threadResume, { path: [message.thread_id] }, owner);
      await thread.refetch();
    }, 'The thread goes on');
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen('reply')}>
        Reply
      </button>
      {ROUTED.has(message.delivery_state) && (
        <button type="button" className="button quiet" onClick={() => void reroute()}>
          Route again
        </button>
      )}
      <button type="button" className="button quiet" onClick={() => void again()}>
        Send again
      </button>
      {thread.data?.stopped_at && (
        <button type="button" className="button quiet" onClick={() => void resume()}>
          Resume the thread
        </button>
      )}
      {STILL_HERE.has(message.delivery_state) && (
        <button type="button" className="button quiet danger-text" onClick={() => setOpen('cancel')}>
          Take back
        </button>
      )}
      {open === 'reply' && (
        <Form
          title={`Reply to ${message.from.slug}`}
          verb="Send"
          fields={[{ name: 'body', label: 'Message', kind: 'lines', required: true }]}
          onClose={close}
          onDone={async ({ body }) => {
            const sent = await api.call<MessageAnswer>(
              messageSend,
              { body: { to: message.from_agent_id, body, reply_to: message.id } },
              owner,
            );
            navigate(`/messages/${sent.id}`);
            return undefined;
          }}
        />
      )}
      {open === 'cancel' && (
        <Form
          title={`Take back ${message.subject ?? 'this message'}`}
          verb="Take it back"
          danger
          lead={<p>{message.to} will not get it any more. Its text stays here until it is removed with what is over. This cannot be undone.</p>}
          fields={[]}
          onClose={close}
          onDone={async () => {
            await api.call(consoleMessageCancel, { path: [message.id] }, ownerIn(message.from.slug));
            tell('Taken back');
            return undefined;
          }}
        />
      )}
    </>
  );
}
