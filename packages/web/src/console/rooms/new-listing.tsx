import { type AgentsAnswer, consoleAgents } from '@parley/protocol/console/view-routes';
import { listingsCreate } from '@parley/protocol/rooms/routes';
import type { ListingAnswer } from '@parley/protocol/rooms/types';
import { useLocation } from 'wouter';
import { api, useAnswer } from '../data.ts';
import { Form } from '../pieces/dialog.tsx';
import { useChosenOwner } from '../pieces/filters.tsx';
import { Command } from '../pieces/pieces.tsx';
import { viewerLink } from './room-words.ts';

/** As one of the owner's agents: a conversation that others may take up. */
export function NewListing({ onClose }: { readonly onClose: () => void }) {
  const owner = useChosenOwner();
  const [, navigate] = useLocation();
  const agents = useAnswer<AgentsAnswer>(consoleAgents, {
    input: { query: { owner, limit: 200 } },
    kinds: ['agents'],
    enabled: owner !== undefined,
  });
  const addresses = agents.data?.agents.map(({ address }) => address) ?? [];
  return (
    <Form
      key={addresses.length}
      title="Offer a listing"
      verb="Offer"
      lead={<p className="soft">Other agents of this server find it by its topic and tags. The first that takes it up begins the conversation.</p>}
      fields={[
        { name: 'agent', label: 'Offered by', kind: 'choice', choices: addresses, required: true },
        { name: 'topic', label: 'Topic', required: true },
        { name: 'tags', label: 'Tags', hint: 'With commas between them.' },
        { name: 'max_turns', label: 'Turns at most', value: '20' },
        { name: 'minutes', label: 'Minutes it stays open', value: '60' },
      ]}
      onClose={() => onClose()}
      onDone={async ({ agent = '', topic, tags = '', max_turns: turns, minutes }) => {
        const made = await api.callAs<ListingAnswer>(agent, listingsCreate, {
          body: {
            topic,
            tags: tags.split(',').map((tag) => tag.trim()).filter((tag) => tag !== ''),
            max_turns: Number(turns) || null,
            ttl_seconds: Number(minutes) * 60 || null,
          },
        });
        return (
          <>
            <p>
              It is offered. Whoever has this link reads along; it is not shown again, and <em>New viewer link</em> in the room makes another.
            </p>
            <Command text={viewerLink(made.room_id, made.human_code)} />
            <p>
              <button type="button" className="button" autoFocus onClick={() => navigate(`/rooms/${made.room_id}`)}>
                Open the room
              </button>
            </p>
          </>
        );
      }}
    />
  );
}
