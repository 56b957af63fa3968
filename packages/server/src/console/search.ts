import type { SearchAnswer } from '@parley/protocol/console/view-routes';
import type { Person } from '../wire/person.ts';
import type { ConsoleContext } from './create-module.ts';

const MOST = 20;
/** How ids of each kind begin, and where they are shown. */
const BY_ID: readonly (readonly [RegExp, string, (id: string) => string])[] = [
  [/^msg_\w+$/, 'message', (id) => `/messages/${id}`],
  [/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/, 'execution', (id) => `/executions?id=${id}`],
  [/^cue_\w+$/, 'cue', (id) => `/cues/${id}`],
  [/^room_[\w-]+$/, 'room', (id) => `/rooms/${id}`],
];

/** Agents by the beginning of their slug, and whatever the text is the id of. */
export async function searched(
  { identity }: ConsoleContext,
  person: Person,
  text: string,
): Promise<SearchAnswer> {
  const byId = BY_ID.filter(([form]) => form.test(text)).map(([, kind, view]) => ({
    kind,
    title: text,
    hint: `open this ${kind}`,
    view: view(text),
  }));
  const [slug = ''] = text.toLowerCase().split('@');
  const found = await identity.directory.startingWith(slug, person.ownerId, MOST);
  const owners = await identity.ownerSlugs(found.map(({ ownerId }) => ownerId));
  return {
    results: [
      ...byId,
      ...found.map((agent) => {
        const address = `${agent.slug}@${owners.get(agent.ownerId) ?? ''}`;
        return { kind: 'agent', title: address, hint: agent.name, view: `/agents/${address}` };
      }),
    ],
  };
}
