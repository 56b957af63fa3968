import { consoleSettings, type ServerSettingsAnswer } from '@parley/protocol/console/system-routes';
import { useAnswer } from '../data.ts';
import { Card, Facts, Waiting } from '../pieces/pieces.tsx';
import { settingText } from '../settings/setting-text.ts';

const IS_LIMIT = /^rl_|^rate_limits$|_max_|^max_/;

/** What is limited, with the values in force. */
export function Limits() {
  const read = useAnswer<ServerSettingsAnswer>(consoleSettings, { kinds: [] });
  const limits = read.data?.settings.filter(({ name }) => IS_LIMIT.test(name)) ?? [];
  return (
    <Card title="Limits in force">
      <Waiting of={read}>
        <div className="scrolled" tabIndex={0} role="region" aria-label="Limits in force">
          <Facts facts={limits.map(({ name, value, from }) => [name, `${settingText(value)}${from === 'default' ? '' : `, by ${from}`}`])} />
        </div>
      </Waiting>
    </Card>
  );
}
