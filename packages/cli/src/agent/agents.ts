import * as routes from '@parley/protocol/delivery/agent-routes';
import type { agent as agentAnswer } from '@parley/protocol/delivery/answers/agent-answers';
import type { InboundPolicy } from '@parley/protocol/delivery/vocabulary';
import type { z } from 'zod';
import { ourAgent, tell, withCalls } from '../calling.ts';
import { CliError } from '../cli-error.ts';
import type { Page } from '../memory/page.ts';
import { type Column, showTable } from '../memory/table.ts';
import { moment } from '../memory/words.ts';
import { printJson, printTold } from '../output.ts';
import type { ServerOptions } from '../with-server.ts';
import { agentMeant } from './find-agent.ts';

type Agent = z.infer<typeof agentAnswer>;

const COLUMNS: readonly Column[] = [
  { title: 'AGENT', rank: 1 },
  { title: 'ID', rank: 0 },
  { title: 'STATUS', rank: 2 },
  { title: 'SEEN', rank: 4 },
  { title: 'NAME', rank: 3, least: 12 },
];

export async function list(options: ServerOptions): Promise<void> {
  await withCalls(options, async (caller) => {
    const { agents } = await caller.call<{ agents: Agent[] }>(routes.agentList, { query: { limit: 100 } });
    tell(agents, options, (page) => {
      if (agents.length === 0) return page.aside('No agents.');
      showTable(
        page,
        COLUMNS,
        agents.map(({ address, id, status, last_seen_at: seen, display_name: name }) => ({
          cells: [{ text: address }, { text: id }, { text: status }, moment(seen), { text: name }],
        })),
      );
    });
  });
}

export async function show(said: string | undefined, options: ServerOptions): Promise<void> {
  await withCalls(options, async (caller) => {
    const path = [said === undefined ? await ourAgent(caller) : await agentMeant(caller, said)];
    told(await caller.call<Agent>(routes.agentRead, { path }), options);
  });
}

export async function create(
  slug: string,
  options: ServerOptions & { displayName?: string; parent?: string },
): Promise<void> {
  const body = { slug, display_name: options.displayName, parent_agent_id: options.parent };
  await withCalls(options, async (caller) =>
    told(await caller.call<Agent>(routes.agentCreate, { body }), options),
  );
}

export async function rename(said: string, slug: string, options: ServerOptions): Promise<void> {
  await withCalls(options, async (caller) => {
    const path = [await agentMeant(caller, said)];
    told(await caller.call<Agent>(routes.agentRename, { path, body: { slug } }), options);
  });
}

export async function policy(
  said: string,
  wanted: InboundPolicy | undefined,
  options: ServerOptions & { allow?: string[] },
): Promise<void> {
  const body = { inbound_policy: wanted, inbound_allow: options.allow };
  await withCalls(options, async (caller) => {
    const path = [await agentMeant(caller, said)];
    const asked = wanted === undefined && options.allow === undefined;
    told(
      await caller.call<Agent>(asked ? routes.agentRead : routes.agentPatch, {
        path,
        ...(!asked && { body }),
      }),
      options,
    );
  });
}

/** It takes its messages with it, so it must be said twice. */
export async function remove(said: string, options: ServerOptions & { yes?: boolean }): Promise<void> {
  if (!options.yes) {
    throw new CliError('usage', `parley: ${said} and what was sent to it would be gone`, {
      hint: 'say --yes to do it',
    });
  }
  await withCalls(options, async (caller) => {
    const path = [await agentMeant(caller, said)];
    const { id, address } = await caller.call<Agent>(routes.agentRead, { path });
    await caller.call(routes.agentDelete, { path: [id], headers: { 'x-confirm-destructive': 'true' } });
    if (options.json) printJson({ id, deleted: true });
    else printTold(`removed ${address} ${id}`);
  });
}

function told(agent: Agent, options: ServerOptions): void {
  tell([agent], options, (page) => showAgent(page, agent));
}

function showAgent(page: Page, agent: Agent): void {
  page.line([{ text: agent.address, style: 'bold' }, { text: `  ${agent.id}` }]);
  const facts: [string, string][] = [
    ['Name', agent.display_name],
    ['Status', `${agent.status}, ${moment(agent.last_seen_at).text || 'never'} seen`],
    [
      'Takes mail of',
      agent.inbound_policy === 'allowlist' ? agent.inbound_allow.join(', ') : agent.inbound_policy,
    ],
    ['Reached by', agent.delivery_capabilities.join(', ')],
  ];
  for (const [name, text] of facts) page.fact(name, { text }, 13);
  page.fact('Made', moment(agent.created_at), 13);
  if (agent.warning !== undefined) page.item('!', { text: agent.warning, style: 'yellow' });
}
