import { messageSend, threadResume } from '@parley/protocol/delivery/message-routes';
import type { MessageAnswer } from '@parley/protocol/delivery/types';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { api, errorText } from '../data.ts';
import { Form } from '../pieces/dialog.tsx';
import { tell } from '../pieces/toasts.tsx';
import { sendAgain } from './send-again.ts';

export function MessageActions({ message, owner }: { readonly message: MessageAnswer; readonly owner: string }) {
  const [replying, setReplying] = useState(false);
  const [, navigate] = useLocation();
  const again = async (): Promise<void> => {
    try {
      const sent = await sendAgain(message.id, owner);
      navigate(`/messages/${sent.id}`);
      tell('Sent again, as a new message in the thread');
    } catch (error) {
      tell(errorText(error));
    }
  };
  const resume = async (): Promise<void> => {
    try {
      await api.call(threadResume, { path: [message.thread_id] }, owner);
      tell('The thread goes on');
    } catch (error) {
      tell(errorText(error));
    }
  };
  return (
    <>
      <button type="button" className="button" onClick={() => setReplying(true)}>
        Reply
      </button>
      <button type="button" className="button quiet" onClick={() => void again()}>
        Send again
      </button>
      <button type="button" className="button quiet" onClick={() => void resume()}>
        Resume the thread
      </button>
      {replying && (
        <Form
          title={`Reply to ${message.from.slug}`}
          verb="Send"
          fields={[{ name: 'body', label: 'Message', kind: 'lines', required: true }]}
          onClose={() => setReplying(false)}
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
    </>
  );
}
