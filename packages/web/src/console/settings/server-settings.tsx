import { consoleSettings, type ServerSettingsAnswer } from '@parley/protocol/console/system-routes';
import { useAnswer } from '../data.ts';
import { Choice, contains, TextFilter, useFilter } from '../pieces/filters.tsx';
import { Card, Copy, Empty, State, Waiting } from '../pieces/pieces.tsx';
import { type Column, Table } from '../pieces/table.tsx';
import { settingText } from './setting-text.ts';

type Setting = ServerSettingsAnswer['settings'][number];

const COLUMNS: readonly Column<Setting>[] = [
  {
    name: 'Setting',
    wide: 2.4,
    sort: ({ name }) => name,
    show: ({ name, help, variable }) => (
      <span className="setting">
        <span className="id">
          <code>{name}</code>
          <Copy text={variable} label="Copy the variable" />
        </span>
        <span className="soft small">{help}</span>
      </span>
    ),
  },
  { name: 'Value', wide: 1.4, show: ({ value }) => <code className="value">{settingText(value)}</code> },
  { name: 'From', wide: 0.8, sort: ({ from }) => from, show: ({ from }) => <State state={from} tone={from === 'default' ? 'plain' : 'good'} /> },
];

/** Read only: they are set where the server is started. */
export function ServerSettings() {
  const read = useAnswer<ServerSettingsAnswer>(consoleSettings, { kinds: [] });
  const [text] = useFilter('q');
  const [from] = useFilter('from');
  const rows = (read.data?.settings ?? []).filter(
    (setting) => (from === '' || setting.from === from) && contains(text, `${setting.name} ${setting.help}`),
  );
  return (
    <Card title="Server settings">
      <p className="soft measure">As they are in force. They are changed by a flag, a variable of the environment or the file parley.json, and a new start. Of secrets it is only said whether they are set.</p>
      <div className="filters">
        <TextFilter name="q" label="Setting" placeholder="contains" />
        <Choice name="from" label="From" choices={['flag', 'environment', 'file', 'default', 'program']} />
      </div>
      <Waiting of={read}>
        <Table label="Server settings" rows={rows} columns={COLUMNS} keyOf={({ name }) => name} empty={<Empty title="No setting is called so" />} />
      </Waiting>
    </Card>
  );
}
