import { type AgentRouteAnswer, consoleAgentRoute } from '@parley/protocol/console/view-routes';
import { useAnswer } from '../data.ts';
import { Card, State, Waiting } from '../pieces/pieces.tsx';
import { Moment } from '../pieces/time.tsx';
import { wordFor } from '../pieces/words.ts';

/** In the order in which they are looked at. */
const WAYS = ['live', 'bg', 'webhook', 'inbox'] as const;

/** Which way a message would take now, way by way, with the one that is taken marked. */
export function RouteNow({ address }: { readonly address: string }) {
  const read = useAnswer<AgentRouteAnswer>(consoleAgentRoute, { input: { path: [address] }, kinds: ['agents'] });
  const route = read.data;
  const ways = route?.steps.filter(({ step }) => step !== 'requested' && step !== 'resolved') ?? [];
  const taken = route?.steps.at(-1)?.result;
  // What comes after the way that is taken is not even looked at.
  const rest = WAYS.filter((way) => !ways.some(({ step }) => step === way));
  return (
    <Card title="A message sent now">
      <Waiting of={read}>
        {route && (
          <>
            <p className="taken">
              goes by <State state={route.agent.reach} tone={route.agent.reach === 'inbox' ? 'warn' : 'good'} />
              {route.agent.heard_at && (
                <span className="soft">
                  {' '}
                  heard of <Moment at={route.agent.heard_at} />
                </span>
              )}
              {route.agent.waiting > 0 && <span className="soft">, {route.agent.waiting} unread wait</span>}
            </p>
            <ol className="ways">
              {ways.map(({ step, result, reason }) => (
                <li key={step} className={step === taken ? 'taken-way' : ''} aria-current={step === taken ? 'step' : undefined}>
                  <strong>{wordFor(step)}</strong>
                  <span>{step === taken ? 'taken' : result === 'skipped' ? 'not possible' : wordFor(result)}</span>
                  <span className="soft">{reason ? wordFor(reason) : ''}</span>
                </li>
              ))}
              {rest.map((way) => (
                <li key={way} className="soft">
                  <strong>{wordFor(way)}</strong>
                  <span>not needed</span>
                  <span />
                </li>
              ))}
            </ol>
          </>
        )}
      </Waiting>
    </Card>
  );
}
