import { type BackupMadeAnswer, type BackupsAnswer, consoleBackupMake, consoleBackups } from '@parley/protocol/console/system-routes';
import { useState } from 'react';
import { api, errorText, queries, useAnswer } from '../data.ts';
import { bytes } from '../pieces/amounts.ts';
import { Card, Command, Waiting } from '../pieces/pieces.tsx';
import { Moment } from '../pieces/time.tsx';
import { tell } from '../pieces/toasts.tsx';

export function Backups() {
  const read = useAnswer<BackupsAnswer>(consoleBackups, { kinds: [] });
  const [busy, setBusy] = useState(false);
  const make = async (): Promise<void> => {
    setBusy(true);
    try {
      const made = await api.call<BackupMadeAnswer>(consoleBackupMake);
      tell(`${made.name} is made, ${bytes(made.bytes)}`);
      await queries.invalidateQueries({ queryKey: [consoleBackups.name] });
    } catch (error) {
      tell(errorText(error));
    } finally {
      setBusy(false);
    }
  };
  const known = read.data;
  return (
    <Card
      title="Backups"
      actions={
        known?.supported && (
          <button type="button" className="button" disabled={busy} onClick={() => void make()}>
            {busy ? 'Copying…' : 'Back up now'}
          </button>
        )
      }
    >
      <Waiting of={read}>
        {known && !known.supported && (
          <>
            <p className="soft">The store is a PostgreSQL database. Where the server runs, with its settings:</p>
            <Command text="parley backup parley-$(date +%F).dump" />
          </>
        )}
        {known?.supported && known.backups.length === 0 && (
          <p className="soft measure">None was made here yet. A copy is checked and put into the folder backups of the data folder; keep one on another machine, and its key with it.</p>
        )}
        <ul className="plain-list">
          {known?.backups.map(({ name, bytes: size, made_at: at }) => (
            <li key={name} className="between">
              <span>
                <code>{name}</code>
                <span className="soft small block">
                  {bytes(size)}, <Moment at={at} />
                </span>
              </span>
              {known.downloads ? (
                <a className="button quiet" href={`/v1/console/backup/${name}`} download={name}>
                  Download
                </a>
              ) : (
                <span className="soft small">stays on the server</span>
              )}
            </li>
          ))}
        </ul>
        {known?.supported && known.backups.length > 0 && (
          <p className="soft small measure">The three newest stay. The key that opens what is sealed in them is not in them: copy the file parley.key of the data folder too.</p>
        )}
      </Waiting>
    </Card>
  );
}
