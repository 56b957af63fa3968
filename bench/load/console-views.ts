import { operatorCode } from '../../packages/server/src/identity/sign-ins/operator-code.ts';
import type { BenchServer } from './both-stores.ts';
import type { Seeded } from './fill/console-seed.ts';

export type Role = 'operator' | 'owner';

/** What a view asks for before it shows anything: paths below /v1, or calls with a body. */
interface View {
  readonly name: string;
  readonly asks: readonly (string | { readonly path: string; readonly body: object })[];
  readonly only?: Role;
}

const FAR = '?window=7d';

/** Every view of the console, and those of its filters that find little among much. */
export function viewsOf({ owner, message, execution, cue, room }: Seeded): readonly View[] {
  const subject = { subject_kind: 'thread', subject_id: 'seed' };
  const agent = `seed@${owner}`;
  const ofOwner = `owner=${owner}`;
  return [
    { name: 'Overview', asks: ['console/overview', 'console/traffic?window=24h'] },
    { name: 'Overview, a week', asks: [`console/traffic${FAR}`] },
    { name: 'Agents', asks: ['console/agents', 'console/owners'] },
    { name: 'Agents, 200 of them', asks: ['console/agents?limit=200'] },
    { name: 'Agents, by name', asks: ['console/agents?q=agent-9'] },
    {
      name: 'Agent',
      asks: [
        `agents/${agent}`,
        `console/agents/${agent}/route`,
        `console/messages?agent=${agent}&limit=20`,
        `console/memory?agent=${agent}&limit=8`,
        `console/schedule?agent=${agent}&limit=8`,
        `console/coming?agent=${agent}`,
        'keys?limit=100',
      ],
    },
    { name: 'Messages', asks: ['console/threads', 'console/owners'] },
    { name: 'Messages, a subject that none has', asks: ['console/threads?q=nowhere'] },
    { name: 'Messages, of an owner', asks: [`console/threads?${ofOwner}`] },
    ...['failed', 'queued', 'delivering', 'expired'].map((state) => ({
      name: `Messages, ${state}`,
      asks: [`console/threads?state=${state}`],
    })),
    {
      name: 'Message',
      asks: [
        `console/owner-of/${message}`,
        `messages/${message}`,
        `executions/${execution}`,
        `executions/${execution}/attempts`,
      ],
    },
    { name: 'Rooms', asks: ['console/rooms'] },
    { name: 'Rooms, of an owner', asks: [`console/rooms?${ofOwner}`] },
    { name: 'Rooms, purged', asks: ['console/rooms?state=PURGED'] },
    { name: 'Room', asks: [`console/rooms/${room}`] },
    { name: 'Memory', asks: ['console/memory'] },
    { name: 'Memory, by the last change', asks: ['console/memory?order=updated'] },
    { name: 'Memory, searched', asks: [{ path: 'continuity/search', body: { query: 'seed', limit: 20 } }] },
    {
      name: 'Subject',
      asks: [
        { path: 'continuity/read', body: { ...subject, view: 'startup', allow_fallback: true } },
        { path: 'continuity/history', body: { ...subject, limit: 30 } },
      ],
    },
    { name: 'Channels', asks: ['console/channels'], only: 'operator' },
    {
      name: 'Cues',
      asks: [
        'cues?limit=100',
        `console/executions?${ofOwner}&source=cue&limit=200`,
        `console/coming?${ofOwner}`,
      ],
    },
    {
      name: 'Cue',
      asks: [
        `console/owner-of/${cue}`,
        `cues/${cue}`,
        `cues/${cue}/next`,
        `console/executions?cue=${cue}&limit=200`,
        `alerts?cue_id=${cue}&acknowledged=false&limit=20`,
      ],
    },
    { name: 'Executions', asks: ['console/executions'] },
    { name: 'Executions, of an owner', asks: [`console/executions?${ofOwner}`] },
    { name: 'Executions, of cues', asks: ['console/executions?source=cue'] },
    ...['failed', 'delivering', 'outcome_timeout'].map((status) => ({
      name: `Executions, ${status}`,
      asks: [`console/executions?status=${status}`],
    })),
    { name: 'Schedule', asks: ['console/schedule'] },
    { name: 'Schedule, over', asks: ['console/schedule?side=over'] },
    { name: 'Coordination', asks: ['console/coordination'] },
    { name: 'Webhooks', asks: ['console/webhooks'] },
    { name: 'Activity', asks: ['console/activity'] },
    {
      name: 'System',
      asks: ['console/system', 'console/settings', 'console/jobs/dead', 'console/backup'],
      only: 'operator',
    },
    { name: 'Settings', asks: ['console/sessions'] },
    { name: 'Search', asks: ['console/search?q=agent-77'] },
  ];
}

/** Somebody who is signed in to the console; an operator acts for an owner where a call is an owner's. */
export class Visitor {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;

  private constructor(url: string, headers: Readonly<Record<string, string>>) {
    this.#url = url;
    this.#headers = headers;
  }

  static async signIn({ url, context }: BenchServer, role: Role, { key, owner }: Seeded): Promise<Visitor> {
    const { secrets, clock } = context;
    const page = { 'content-type': 'application/json', 'x-parley-console': '1', origin: url };
    const answer = await fetch(`${url}/v1/console/session`, {
      method: 'POST',
      headers: page,
      body: JSON.stringify(
        role === 'operator' ? { code: operatorCode(secrets, clock.now()) } : { api_key: key },
      ),
    });
    if (answer.status !== 201) throw new Error(`nobody was signed in: ${await answer.text()}`);
    const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';');
    return new Visitor(url, { ...page, cookie, ...(role === 'operator' && { 'x-parley-owner': owner }) });
  }

  /** How long the answer took, in milliseconds. */
  async ask(ask: View['asks'][number]): Promise<number> {
    const { path, body } = typeof ask === 'string' ? { path: ask, body: undefined } : ask;
    const began = performance.now();
    const answer = await fetch(`${this.#url}/v1/${path}`, {
      method: body ? 'POST' : 'GET',
      headers: this.#headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`${path} was answered with ${answer.status}`);
    return performance.now() - began;
  }
}
