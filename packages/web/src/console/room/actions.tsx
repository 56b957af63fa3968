import type { ConsoleRoomAnswer } from '@parley/protocol/console/room-routes';
import { roomHumanCode, roomKeep } from '@parley/protocol/rooms/extension-routes';
import { roomClose } from '@parley/protocol/rooms/routes';
import type { HumanCodeAnswer } from '@parley/protocol/rooms/types';
import { useState } from 'react';
import { api, errorText } from '../data.ts';
import { Form } from '../pieces/dialog.tsx';
import { Command } from '../pieces/pieces.tsx';
import { tell } from '../pieces/toasts.tsx';
import { viewerLink } from '../rooms/room-words.ts';

/** What the agents of this person may do: whoever offered the room gives out its link, and anybody in it may end it. */
export function RoomActions({ room }: { readonly room: ConsoleRoomAnswer }) {
  const [open, setOpen] = useState<'code' | 'close'>();
  const close = (): void => setOpen(undefined);
  const [first] = room.participants;
  const host = first?.yours === true ? first.address : undefined;
  const member = room.participants.find(({ yours }) => yours)?.address;
  const input = { path: [room.id] };
  const title = room.topic || room.id;
  const keep = async (agent: string): Promise<void> => {
    try {
      await api.callAs(agent, roomKeep, { ...input, body: {} });
      tell('It is kept as long as it may be');
    } catch (error) {
      tell(errorText(error));
    }
  };
  const ended = room.state === 'CLOSED' || room.state === 'PURGED';
  return (
    <>
      {host !== undefined && room.state !== 'PURGED' && (
        <button type="button" className="button quiet" onClick={() => setOpen('code')}>
          New viewer link
        </button>
      )}
      {host !== undefined && room.state === 'CLOSED' && !room.kept && (
        <button type="button" className="button quiet" onClick={() => void keep(host)}>
          Keep the texts
        </button>
      )}
      {member !== undefined && !ended && (
        <button type="button" className="button quiet danger-text" onClick={() => setOpen('close')}>
          Close
        </button>
      )}
      {open === 'code' && host !== undefined && (
        <Form
          title={`New viewer link for ${title}`}
          verb="Make it"
          lead={<p>Only the hash of a code is kept, so a link is made anew: the one before opens nothing any more, and whoever reads along with it is out.</p>}
          fields={[]}
          onClose={close}
          onDone={async () => {
            const made = await api.callAs<HumanCodeAnswer>(host, roomHumanCode, { ...input, body: {} });
            return (
              <>
                <p>Whoever has this link reads along for a day. It is not shown again.</p>
                <Command text={viewerLink(room.id, made.human_code)} />
              </>
            );
          }}
        />
      )}
      {open === 'close' && member !== undefined && (
        <Form
          title={`Close ${title}`}
          verb="Close"
          danger
          lead={<p>The conversation ends for everyone in it, as {member}. It cannot be opened again; what was said is deleted some time later.</p>}
          fields={[]}
          onClose={close}
          onDone={async () => {
            await api.callAs(member, roomClose, { ...input, body: {} });
            tell('The room is closed');
            return undefined;
          }}
        />
      )}
    </>
  );
}
