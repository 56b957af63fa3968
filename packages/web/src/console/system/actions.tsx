import { consoleInviteMake, consoleLogLevel, consoleSystem, type InviteMadeAnswer, type SystemAnswer } from '@parley/protocol/console/system-routes';
import { useState } from 'react';
import { api, queries } from '../data.ts';
import { Form } from '../pieces/dialog.tsx';
import { Command } from '../pieces/pieces.tsx';
import { tell } from '../pieces/toasts.tsx';

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'];

const setLevel = async (level: string | undefined): Promise<void> => {
  await api.call(consoleLogLevel, { body: { level } });
  await queries.invalidateQueries({ queryKey: [consoleSystem.name] });
};

export function SystemActions({ system }: { readonly system: SystemAnswer }) {
  const [open, setOpen] = useState<'invite' | 'level'>();
  const close = (): void => setOpen(undefined);
  return (
    <>
      <button type="button" className="button quiet" onClick={() => setOpen('invite')}>
        Invite
      </button>
      <button type="button" className="button quiet" onClick={() => setOpen('level')}>
        Log level
      </button>
      {open === 'invite' && (
        <Form
          title="Invite"
          verb="Make a code"
          lead={<p>A code lets one registration in, once, within a week. Here registration is {system.registration}{system.registration === 'invite' ? '.' : ', so nobody needs one now.'}</p>}
          fields={[]}
          onClose={close}
          onDone={async () => {
            const made = await api.call<InviteMadeAnswer>(consoleInviteMake);
            return (
              <>
                <p>Hand it on now: it is not shown again.</p>
                <Command text={made.code} />
              </>
            );
          }}
        />
      )}
      {open === 'level' && (
        <Form
          title="Log level"
          verb="Set"
          lead={<p>What is written to the log of this node until its next start.</p>}
          fields={[{ name: 'level', label: 'Level', kind: 'choice', choices: LEVELS, value: system.log_level }]}
          onClose={close}
          onDone={async ({ level }) => {
            await setLevel(level);
            tell(`The log level is ${level}`, () => void setLevel(system.log_level).then(() => tell(`The log level is ${system.log_level} again`)));
            return undefined;
          }}
        />
      )}
    </>
  );
}
