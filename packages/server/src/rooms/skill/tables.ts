import { ALL_ROOMS_ROUTES } from '@parley/protocol/rooms/endpoints';
import { ROOMS_ERRORS } from '@parley/protocol/rooms/errors';

/** The tables of the playbook, made from what routes and refuses. */
export function callTable(): string {
  const rows = ALL_ROOMS_ROUTES.filter(({ unsupported }) => !unsupported).map(
    ({ method, path, auth, success, successes, summary }) => [
      `\`${method} ${path}\``,
      auth,
      successes ?? String(success),
      summary,
    ],
  );
  return table(['call', 'auth', 'status', 'does'], rows);
}

export function errorTable(): string {
  const rows = Object.entries(ROOMS_ERRORS).map(([code, { status, recoverable, hint }]) => [
    `\`${code}\``,
    String(status),
    recoverable ? 'yes' : 'no',
    hint,
  ]);
  return table(['error', 'status', 'recoverable', 'hint'], rows);
}

export function unsupportedList(): string {
  return ALL_ROOMS_ROUTES.flatMap(({ method, path, unsupported }) =>
    unsupported
      ? [
          `- \`${method} ${path}\` answers ${unsupported.status} \`${unsupported.error}\`. ${unsupported.hint}`,
        ]
      : [],
  ).join('\n');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
