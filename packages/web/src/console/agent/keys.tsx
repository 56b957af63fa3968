import { createKey, listKeys, revokeKey } from '@parley/protocol/identity/routes';
import type { AgentAnswer } from '@parley/protocol/delivery/types';
import { useState } from 'react';
import { api, useAnswer } from '../data.ts';
import { Form } from '../pieces/dialog.tsx';
import { Card, Waiting } from '../pieces/pieces.tsx';
import { Moment } from '../pieces/time.tsx';
import { tell } from '../pieces/toasts.tsx';
import { Secret } from './secret.tsx';

interface KeyList {
  readonly keys: readonly {
    readonly id: string;
    readonly prefix: string;
    readonly label: string | null;
    readonly agent: string | null;
    readonly created_at: string;
    readonly last_used_at: string | null;
  }[];
}

/** Keys of one agent, or of the whole owner. */
export function Keys({ agent, owner }: { readonly agent?: AgentAnswer; readonly owner: string }) {
  const listed = useAnswer<KeyList>(listKeys, { input: { query: { limit: 100 } }, owner, kinds: ['keys'] });
  const [open, setOpen] = useState<'new' | { readonly id: string; readonly prefix: string }>();
  const keys = listed.data?.keys.filter((key) => (agent ? key.agent === agent.id : key.agent === null)) ?? [];
  const close = (): void => setOpen(undefined);
  const who = agent?.address ?? owner;
  return (
    <Card
      title="Keys"
      actions={
        <button type="button" className="button quiet" onClick={() => setOpen('new')}>
          New key
        </button>
      }
    >
      <Waiting of={listed}>
        {keys.length === 0 ? (
          <p className="soft">None. A key lets a program act as {who}; it is shown once, when it is made.</p>
        ) : (
          <ul className="plain-list">
            {keys.map((key) => (
              <li key={key.id} className="between">
                <span>
                  <code>{key.prefix}…</code> {key.label}
                  <span className="soft small">
                    {' '}
                    made <Moment at={key.created_at} />, used <Moment at={key.last_used_at} />
                  </span>
                </span>
                <button type="button" className="button quiet danger-text" onClick={() => setOpen(key)}>
                  Revoke
                </button>
              </li>
            ))}
          </ul>
        )}
      </Waiting>
      {open === 'new' && (
        <Form
          title={`New key for ${who}`}
          verb="Make it"
          fields={[{ name: 'label', label: 'What it is for' }]}
          onClose={close}
          onDone={async ({ label }) => {
            const made = await api.call<{ api_key: string }>(
              createKey,
              { body: { ...(agent && { agent: agent.id }), ...(label && { label }) } },
              owner,
            );
            return <Secret text={made.api_key} />;
          }}
        />
      )}
      {typeof open === 'object' && (
        <Form
          title={`Revoke ${open.prefix}…`}
          verb="Revoke"
          danger
          lead={<p>Programs that use it are refused at once, and their open streams end. This cannot be undone.</p>}
          fields={[]}
          onClose={close}
          onDone={async () => {
            await api.call(revokeKey, { path: [open.id] }, owner);
            tell('The key is revoked');
            return undefined;
          }}
        />
      )}
    </Card>
  );
}
