import * as agentRoutes from '@parley/protocol/delivery/agent-routes';
import type { presence } from '@parley/protocol/delivery/answers/agent-answers';
import * as routes from '@parley/protocol/delivery/message-routes';
import { PROVEN_STAGES } from '@parley/protocol/delivery/vocabulary';
import type { z } from 'zod';
import { agentMeant } from '../agent/find-agent.ts';
import { type Calls, withCalls } from '../calling.ts';
import { EXIT } from '../cli-error.ts';
import { Page } from '../memory/page.ts';
import { terminalOf } from '../memory/terminal.ts';
import { printJson, printPage } from '../output.ts';
import type { ServerOptions } from '../with-server.ts';
import type { Message } from './messages.ts';
import { watchedUntil } from './send.ts';

type Stage = (typeof PROVEN_STAGES)[number];

/** Why a message that came so far came no further, and what to do. */
const STOPS: Readonly<Record<Stage, string>> = {
  stored:
    'nothing of the agent has asked for it: start its bridge (parley bridge run), or let it follow its inbox',
  offered: 'it was offered to a session or handler that has not taken it: is that program still running?',
  delivered:
    'it arrived, but no bridge says that it started the agent: see "parley bridge status --wakes" there',
  invoked: 'the agent was started, but has not claimed or acknowledged the message: look at what it printed',
  claimed: 'the agent has it and is not done yet',
  acked: '',
};

const NOT_FETCHED =
  'it waits in the inbox, and nobody fetches it: does the bridge of the agent run (parley bridge run), or anything that follows its inbox?';

const stopOf = ({ proven_stage: stage, delivery_route: route }: Message): string =>
  stage === 'offered' && route === 'inbox_direct' ? NOT_FETCHED : STOPS[stage];

type Presence = z.infer<typeof presence>;

interface Step {
  readonly step: string;
  readonly ok: boolean;
  readonly detail: string;
}

const isDone = ({ proven_stage: stage }: Message): boolean => stage === 'acked';

export async function wakeTest(said: string, options: ServerOptions & { wait: number }): Promise<void> {
  await withCalls(options, async (caller) => {
    const agent = await agentMeant(caller, said);
    const steps: Step[] = [await present(caller, agent)];
    const message = await caller.call<Message>(routes.messageSend, {
      body: { to: agent, subject: 'wake test', body: TEXT, metadata: { wake_test: true }, ttl_seconds: 3600 },
    });
    const last = await watchedUntil(caller, message, options.wait, isDone);
    const reached = PROVEN_STAGES.indexOf(last.proven_stage);
    for (const [at, step] of PROVEN_STAGES.entries()) {
      if (at <= reached) steps.push({ step, ok: true, detail: '' });
    }
    const done = isDone(last);
    if (!done) {
      const detail = `${last.proven_stage_reason ?? ''}; ${stopOf(last)}`.replace(/^; /, '');
      steps.push({ step: PROVEN_STAGES[reached + 1] ?? 'acked', ok: false, detail });
    }
    told(steps, last, options);
    if (!done) process.exitCode = EXIT.waited;
  });
}

const TEXT = 'A test of the way to you: nothing is to be done but to acknowledge this message.';

async function present(caller: Calls, agent: string): Promise<Step> {
  const path = [agent];
  const asked = await caller.call<Presence>(agentRoutes.agentPresence, { path }).catch(() => undefined);
  // Those of other owners are not told; the message shows whether there is such an agent at all.
  if (!asked) return { step: 'present', ok: true, detail: 'not told: it is of another owner' };
  const { online, derived_status: status } = asked;
  return {
    step: 'present',
    ok: online,
    detail: online ? status : `${status}: nothing of it is connected now`,
  };
}

function told(steps: readonly Step[], message: Message, { json }: ServerOptions): void {
  if (json) {
    for (const step of steps) printJson({ message_id: message.id, ...step });
    return;
  }
  const page = new Page(terminalOf(process.stdout, process.env));
  for (const { step, ok, detail } of steps) {
    page.item(
      ok ? 'ok  ' : 'stop',
      { text: detail === '' ? step : `${step}: ${detail}`, style: ok ? 'green' : 'red' },
      0,
    );
  }
  printPage(page);
}
