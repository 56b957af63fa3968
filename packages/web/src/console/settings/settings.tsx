import {
  consoleSessionList,
  consoleSessionRevoke,
  type ConsoleSessions,
} from '@parley/protocol/console/session-routes';
import { useState } from 'react';
import { Keys } from '../agent/keys.tsx';
import { api, useAnswer, useSession } from '../data.ts';
import { Form } from '../pieces/dialog.tsx';
import { Card, Facts, Page, Waiting } from '../pieces/pieces.tsx';
import { Moment } from '../pieces/time.tsx';
import { tell } from '../pieces/toasts.tsx';
import { isDense, setDense, setTheme, setZone, type Theme, theme, zone } from '../theme.ts';
import { browserWords } from './browser-words.ts';
import { ServerSettings } from './server-settings.tsx';

const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

export function Settings() {
  const session = useSession();
  return (
    <Page title="Settings">
      <Card title="You">
        <Facts
          facts={[
            ['Signed in as', session.owner?.slug ?? 'the operator of this server'],
            ['Sees', session.sees === 'all' ? 'everything' : session.sees === 'content' ? 'texts of owners, to read' : 'names, states and counts of owners'],
            ['Until', <Moment key="until" at={session.expires_at} />],
            ['Server', `Parley ${session.version}`],
          ]}
        />
      </Card>
      <Look />
      <Sessions />
      {session.owner && <Keys owner={session.owner.slug} />}
      {session.role === 'operator' && <ServerSettings />}
    </Page>
  );
}

function Look() {
  const [, redraw] = useState(0);
  const change = (set: () => void) => () => {
    set();
    redraw((count) => count + 1);
  };
  return (
    <Card title="Look of this browser">
      <div className="filters">
        <div className="choices" role="group" aria-label="Theme">
          {THEMES.map((each) => (
            <button key={each} type="button" className="button quiet" aria-pressed={theme() === each} onClick={change(() => setTheme(each))}>
              {each}
            </button>
          ))}
        </div>
        <button type="button" className="button quiet" aria-pressed={isDense()} onClick={change(() => setDense(!isDense()))}>
          dense rows
        </button>
        <button
          type="button"
          className="button quiet"
          aria-pressed={zone() === 'UTC'}
          onClick={change(() => setZone(zone() === 'UTC' ? '' : 'UTC'))}
        >
          times in UTC
        </button>
      </div>
    </Card>
  );
}

function Sessions() {
  const listed = useAnswer<ConsoleSessions>(consoleSessionList, { kinds: ['keys'] });
  const [ending, setEnding] = useState<ConsoleSessions['sessions'][number]>();
  return (
    <Card title="Sessions">
      <Waiting of={listed}>
        <ul className="plain-list">
          {listed.data?.sessions.map((session) => (
            <li key={session.id} className="between">
              <span>
                <span title={session.agent}>{browserWords(session.agent)}</span>
                <span className="soft small block">
                  since <Moment at={session.created_at} />, used <Moment at={session.seen_at} />
                </span>
              </span>
              {session.current ? (
                <span className="soft stays">this one</span>
              ) : (
                <button type="button" className="button quiet danger-text" onClick={() => setEnding(session)}>
                  End
                </button>
              )}
            </li>
          ))}
        </ul>
      </Waiting>
      {ending && (
        <Form
          title="End a session"
          verb="End it"
          danger
          lead={
            <p>
              {browserWords(ending.agent)}, used <Moment at={ending.seen_at} />, is signed out at once. Whoever sits there has to sign in again; nothing else is lost.
            </p>
          }
          fields={[]}
          onClose={() => setEnding(undefined)}
          onDone={async () => {
            await api.call(consoleSessionRevoke, { path: [ending.id] });
            await listed.refetch();
            tell('The session is ended');
            return undefined;
          }}
        />
      )}
    </Card>
  );
}
