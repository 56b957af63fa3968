import type { AgentAnswer } from '@parley/protocol/delivery/types';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { attempt } from '../pieces/toasts.tsx';
import { FORMS } from './forms.tsx';
import { wakeTest } from './wake.ts';

interface Props {
  readonly agent: AgentAnswer;
  readonly owner: string;
}

export function AgentActions({ agent, owner }: Props) {
  const [open, setOpen] = useState<keyof typeof FORMS>();
  const [, navigate] = useLocation();
  const Opened = open && FORMS[open];
  const wake = (): Promise<void> =>
    attempt(async () => navigate(`/messages/${(await wakeTest(agent.address, owner)).id}`));
  return (
    <>
      <button type="button" className="button" onClick={() => void wake()}>
        Wake test
      </button>
      <button type="button" className="button quiet" onClick={() => setOpen('write')}>
        Write
      </button>
      <button type="button" className="button quiet" onClick={() => setOpen('settings')}>
        Settings
      </button>
      <button type="button" className="button quiet" onClick={() => setOpen('rename')}>
        Rename
      </button>
      {agent.webhook_url && (
        <button type="button" className="button quiet" onClick={() => setOpen('rotate')}>
          New webhook secret
        </button>
      )}
      <button type="button" className="button quiet danger-text" onClick={() => setOpen('delete')}>
        Delete
      </button>
      {Opened && <Opened agent={agent} owner={owner} onClose={() => setOpen(undefined)} />}
    </>
  );
}
