import type { agentCard as declared } from '@parley/protocol/delivery/card-routes';
import type { AnswerOf } from '@parley/protocol/route';
import { agentNotFound } from '../../identity/agents/agents.ts';
import type { AgentsContext } from '../agents-context.ts';
import { agentRecord } from './agent-store.ts';
import { addressOf } from '../../identity/agents/agent-details.ts';

/** Of A2A, whose form the card has. What is spoken is said in `preferredTransport`: messages of this server. */
const CARD_VERSION = '0.3.0';
const TRANSPORT = 'parley';
const MODES = ['text/plain'];

/** What an agent shows to everybody, if its owner wants that. One that shows nothing is as good as none. */
export async function agentCard(
  { identity, database }: Pick<AgentsContext, 'identity' | 'database'>,
  named: string,
  { base, version }: { readonly base: string; readonly version: string },
): Promise<AnswerOf<typeof declared>> {
  const { directory } = identity;
  // Nobody asks, so nobody's own slugs are meant.
  const { suffix } = await directory.resolve('', named);
  const [record, name, details] = await Promise.all([
    agentRecord(database.read, suffix),
    directory.nameOf(database.read, suffix),
    directory.bySuffix([suffix]),
  ]);
  if (!record?.profile.hasCard || record.deletedAt !== null || !name) throw agentNotFound(named);
  const { displayName, specialization, tools } = record.profile;
  const shown = displayName ?? details.get(suffix)?.name ?? name.slug;
  const address = addressOf(name, name.ownerSlug);
  const description = specialization ?? `An agent that is reached through Parley as ${address}.`;
  return {
    protocolVersion: CARD_VERSION,
    name: shown,
    description,
    version,
    url: `${base}/v1/messages`,
    preferredTransport: TRANSPORT,
    documentationUrl: `${base}/skill/messages.md`,
    provider: { organization: name.ownerSlug, url: base },
    capabilities: { streaming: false, pushNotifications: true },
    securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
    security: [{ key: [] }],
    defaultInputModes: MODES,
    defaultOutputModes: MODES,
    skills: [
      { id: 'message', name: `Write to ${address}`, description, tags: ['message'] },
      ...tools.map((tool) => ({ id: tool, name: tool, description: tool, tags: ['tool'] })),
    ],
  };
}
