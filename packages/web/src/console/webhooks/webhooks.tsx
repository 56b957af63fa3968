import { consoleWebhooks, type ConsoleWebhooksAnswer, WEBHOOK_KINDS } from '@parley/protocol/console/webhook-routes';
import { useState } from 'react';
import { useAnswer, useMayChange } from '../data.ts';
import { Choice, contains, OwnerFilter, TextFilter, useFilter } from '../pieces/filters.tsx';
import { AgentLink, Clipped, Empty, Page, State, Waiting } from '../pieces/pieces.tsx';
import { type Column, Table } from '../pieces/table.tsx';
import { Moment } from '../pieces/time.tsx';
import { wordFor } from '../pieces/words.ts';
import { WebhookDialog, type WebhookTask } from './actions.tsx';
import { healthOf } from './health.ts';

type Webhook = ConsoleWebhooksAnswer['webhooks'][number];

const HEALTH = ['well', 'failing', 'off', 'unused'];

const COLUMNS: readonly Column<Webhook>[] = [
  {
    name: 'Endpoint',
    wide: 3,
    sort: ({ url }) => url,
    show: ({ url }) => <Clipped text={url} />,
  },
  {
    name: 'Of',
    wide: 2,
    sort: ({ agent }) => agent,
    show: ({ agent, kind, event }) => (
      <span>
        <AgentLink address={agent} />
        <span className="soft small block">{kind === 'agent' ? 'its messages' : kind === 'room' ? 'its rooms' : `events: ${event ?? ''}`}</span>
      </span>
    ),
  },
  {
    name: 'Taken',
    wide: 0.9,
    sort: ({ delivered, failed }) => (delivered + failed === 0 ? -1 : delivered / (delivered + failed)),
    show: ({ delivered, failed }) =>
      delivered + failed === 0 ? <span className="soft">none yet</span> : <span title={`${delivered} taken, ${failed} not`}>{Math.round((100 * delivered) / (delivered + failed))} %</span>,
  },
  {
    name: 'State',
    wide: 1.6,
    sort: (webhook) => healthOf(webhook),
    show: (webhook) => {
      const health = healthOf(webhook);
      return (
        <span>
          <State state={health} tone={health === 'well' ? 'good' : health === 'failing' ? 'bad' : health === 'off' ? 'warn' : 'plain'} />
          {webhook.failing_since !== null && (
            <span className="soft small block">
              since <Moment at={webhook.failing_since} />
            </span>
          )}
          {webhook.off !== null && (
            <span className="soft small block">
              {webhook.kind === 'room' ? 'since' : 'until'} <Moment at={webhook.off} />
            </span>
          )}
        </span>
      );
    },
  },
  {
    name: 'Last answer',
    wide: 1.6,
    sort: ({ last_at: at }) => at ?? '',
    show: ({ last_status: status, last_error: error, last_at: at }) =>
      at === null ? (
        <span className="soft">never</span>
      ) : (
        <span>
          {status !== null && <code>{status}</code>} {error && <span className="danger-text small">{wordFor(error)}</span>}{' '}
          <span className="soft small block">
            <Moment at={at} />
          </span>
        </span>
      ),
  },
];

/** Where agents want to be told, and whether anybody is listening there. */
export function Webhooks() {
  const [owner] = useFilter('owner');
  const [kind] = useFilter('kind');
  const [health] = useFilter('state');
  const [text] = useFilter('q');
  const mayChange = useMayChange();
  const [task, setTask] = useState<WebhookTask>();
  const found = useAnswer<ConsoleWebhooksAnswer>(consoleWebhooks, { input: { query: { owner: owner || undefined } }, kinds: ['webhooks', 'agents'] });
  const rows = (found.data?.webhooks ?? []).filter(
    (webhook) =>
      (kind === '' || webhook.kind === kind) &&
      (health === '' || healthOf(webhook) === health) &&
      contains(text, `${webhook.url} ${webhook.agent}`),
  );
  const action = (verb: WebhookTask['does'], name: string, webhook: Webhook) => (
    <button type="button" className="button quiet" onClick={() => setTask({ does: verb, webhook })}>
      {name}
    </button>
  );
  const doing: Column<Webhook> = {
    name: 'Do',
    wide: 2.4,
    show: (webhook) => (
      <span className="row-actions">
        {action('test', 'Test', webhook)}
        {webhook.failed > 0 && action('replay', 'Replay', webhook)}
        {webhook.kind !== 'events' && action('rotate', 'Rotate', webhook)}
      </span>
    ),
  };
  return (
    <Page title="Webhooks" lead="Where agents are told of messages, rooms and events, and what came of it.">
      <div className="filters">
        <TextFilter name="q" label="Address or agent" placeholder="contains" />
        <Choice name="kind" label="Of" choices={WEBHOOK_KINDS} />
        <Choice name="state" label="State" choices={HEALTH} />
        <OwnerFilter />
      </div>
      <Waiting of={found}>
        <Table
          label="Webhooks"
          rows={rows}
          columns={mayChange ? [...COLUMNS, doing] : COLUMNS}
          keyOf={({ id }) => id}
          open={({ agent }) => `/agents/${agent}`}
          empty={
            <Empty
              title="No webhook here"
              command={`curl -s -X PATCH ${location.origin}/v1/agents/AGENT -H "Authorization: Bearer $PARLEY_KEY" \\\n  -H 'content-type: application/json' -d '{"webhook_url":"https://example.com/hook"}'`}
            >
              An agent that has a webhook URL, or an endpoint for its rooms, appears here with what it answered.
            </Empty>
          }
        />
      </Waiting>
      {task && <WebhookDialog task={task} onClose={() => setTask(undefined)} />}
    </Page>
  );
}
