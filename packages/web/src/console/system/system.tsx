import { consoleSystem, type SystemAnswer } from '@parley/protocol/console/system-routes';
import { useAnswer } from '../data.ts';
import { bytes, span } from '../pieces/amounts.ts';
import { Card, Facts, Page, State, Waiting } from '../pieces/pieces.tsx';
import { Moment } from '../pieces/time.tsx';
import { SystemActions } from './actions.tsx';
import { Backups } from './backups.tsx';
import { DeadJobs } from './dead-jobs.tsx';
import { Gauge } from './gauge.tsx';
import { Limits } from './limits.tsx';

const EVERY_MS = 5_000;
const MB = 1_000_000;

/** How the server is, for those who run it. */
export function System() {
  const read = useAnswer<SystemAnswer>(consoleSystem, { kinds: [], every: EVERY_MS });
  const system = read.data;
  return (
    <Page
      title="System"
      lead={
        system && (
          <>
            Parley {system.version}, up for {span((Date.now() - Date.parse(system.started_at)) / 1000)}
          </>
        )
      }
      actions={system && <SystemActions system={system} />}
    >
      <Waiting of={read}>
        {system && (
          <>
            <Gauges system={system} />
            <DeadJobs />
            <div className="columns">
              <Queues queues={system.queues} />
              <Nodes nodes={system.nodes} />
            </div>
            <Backups />
            <Slowest statements={system.database.slowest} />
            <div className="columns">
              <Card title="Server">
                <Facts
                  facts={[
                    ['Version', system.version],
                    ['Runs on', `Node.js ${system.node_version}`],
                    ['Started', <Moment key="started" at={system.started_at} />],
                    ['Store', system.database.kind === 'sqlite' ? 'SQLite' : 'PostgreSQL'],
                    ['Log level', system.log_level],
                    ['Registration', system.registration],
                    ['Sealed channels', `${system.channels.awake} awake, ${system.channels.asleep} asleep, ${bytes(system.channels.bytes)}`],
                  ]}
                />
              </Card>
              <Limits />
            </div>
          </>
        )}
      </Waiting>
    </Page>
  );
}

function Gauges({ system }: { readonly system: SystemAnswer }) {
  const { memory, loop, disk, database, history, queues } = system;
  const due = queues.reduce((sum, queue) => sum + queue.due, 0);
  const common = { since: history.since, step: history.step_seconds };
  return (
    <div className="gauges">
      <Gauge {...common} title="Memory" now={bytes(memory.rss)} more={`${bytes(memory.heap_used)} of ${bytes(memory.heap_limit)} heap`} values={history.memory} unit={MB} unitName="MB" />
      <Gauge {...common} title="Event loop" now={`${loop.delay_max_ms} ms late`} more={`${Math.round(loop.busy * 100)} % busy`} values={history.delay} unit={1} unitName="ms" grave={loop.delay_max_ms > 200} />
      <Gauge {...common} title="Due in queues" now={String(due)} more={`${queues.reduce((sum, queue) => sum + queue.waiting, 0)} waiting in all`} values={history.waiting} unit={1} unitName="jobs" />
      <Gauge {...common} title="Database" now={database.bytes === null ? 'not known' : bytes(database.bytes)} more={database.kind} values={history.database} unit={MB} unitName="MB" />
      <Gauge
        {...common}
        title="Disk"
        now={disk.free_bytes === null ? 'not watched' : `${bytes(disk.free_bytes)} free`}
        more={disk.low ? 'nearly full: nothing new is stored' : `below ${bytes(disk.least_bytes)} nothing new is stored`}
        values={history.disk}
        unit={MB * 1000}
        unitName="GB"
        grave={disk.low}
      />
    </div>
  );
}

function Queues({ queues }: { readonly queues: SystemAnswer['queues'] }) {
  return (
    <Card title="Queues">
      {queues.length === 0 ? (
        <p className="soft">Nothing waits.</p>
      ) : (
        <ul className="plain-list">
          {queues.map(({ kind, waiting, due, next_at: at }) => (
            <li key={kind} className="between">
              <span>
                <code>{kind}</code>
                <span className="soft small block">
                  first <Moment at={at} />
                </span>
              </span>
              <span>
                {waiting} {due > 0 && <State state={`${due} due`} tone="warn" />}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function Nodes({ nodes }: { readonly nodes: SystemAnswer['nodes'] }) {
  return (
    <Card title="Nodes">
      <ul className="plain-list">
        {nodes.map(({ id, url, version, started_at: at, seen_at: seen, alive, self }) => (
          <li key={id} className="between">
            <span>
              <code className="clip">{url}</code>
              <span className="soft small block">
                {version}, since <Moment at={at} />
                {!self && (
                  <>
                    , seen <Moment at={seen} />
                  </>
                )}
              </span>
            </span>
            {self ? <State state="this one" tone="good" /> : <State state={alive ? 'alive' : 'gone'} tone={alive ? 'good' : 'bad'} />}
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Slowest({ statements }: { readonly statements: SystemAnswer['database']['slowest'] }) {
  return (
    <Card title="Slowest statements">
      {statements.length === 0 ? (
        <p className="soft">None has taken 5 ms since the start.</p>
      ) : (
        <ol className="statements">
          {statements.map(({ text, count, mean_ms: mean, longest_ms: longest, last_at: at }) => (
            <li key={text}>
              <div className="between">
                <strong>{longest} ms at most</strong>
                <span className="soft small">
                  {count === 1 ? 'once' : `${count} times`} over 5 ms, {mean} ms each, last <Moment at={at} />
                </span>
              </div>
              <pre tabIndex={0} className="statement">
                <code>{text}</code>
              </pre>
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}
