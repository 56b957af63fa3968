import { CredentialsFile, credentialsPath } from '../agent/credentials-file.ts';
import { tell } from '../calling.ts';
import { CliError } from '../cli-error.ts';
import { type Column, showTable } from '../memory/table.ts';
import { printJson, printTold } from '../output.ts';

interface Options {
  json?: boolean | undefined;
}

const COLUMNS: readonly Column[] = [
  { title: '', rank: 0 },
  { title: 'PROFILE', rank: 1 },
  { title: 'AGENT', rank: 3 },
  { title: 'SERVER', rank: 2 },
];

export function list(options: Options): void {
  const rows = openFile().all();
  tell(rows, options, (page) => {
    if (rows.length === 0)
      return page.aside('Nothing is kept. "parley login" or "parley agent register" begins.');
    showTable(
      page,
      COLUMNS,
      rows.map(({ name, agent_id: agent, server, in_use: inUse }) => ({
        cells: [
          { text: inUse ? '*' : '' },
          { text: name, style: inUse ? 'bold' : undefined },
          { text: agent },
          { text: server },
        ],
      })),
    );
  });
}

export function use(name: string, options: Options): void {
  const file = openFile();
  const called = file.called(name);
  const found = file.profile(name);
  if (called === undefined || !found) throw noProfile(name, file);
  file.use(called);
  if (options.json) printJson({ profile: called, server: found.server, agent_id: found.agent_id });
  else printTold(`From now on ${called} at ${found.server}`);
}

export function remove(name: string, options: Options): void {
  const file = openFile();
  const called = file.called(name);
  if (called === undefined) throw noProfile(name, file);
  file.remove(called);
  if (options.json) printJson({ profile: called, removed: true });
  else printTold(`Forgot ${called} and its key`);
}

const openFile = (): CredentialsFile => new CredentialsFile(credentialsPath(process.env));

export function noProfile(name: string, file: CredentialsFile): CliError {
  const known = file.all().map((each) => each.name);
  return new CliError('no_profile', `parley: there is no profile ${name}`, {
    hint: known.length > 0 ? `there is ${known.join(', ')}` : '"parley login" makes one',
  });
}
