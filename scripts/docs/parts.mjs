// What the generated parts of the docs are made of: the same declarations that the server runs on.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHANNEL_ERRORS } from '@parley/protocol/channels/errors';
import {
  LABEL_CHARS,
  NEGATIVE_DECISIONS,
  RATIONALE_ENTRIES,
  RELATED_DOCUMENTS,
  STABLE_PREFERENCES,
  STANCE_CHARS,
  STATE_LISTS,
} from '@parley/protocol/continuity/limits';
import { CONTINUITY_ROUTES } from '@parley/protocol/continuity/routes';
import { CUE_ROUTES } from '@parley/protocol/delivery/cue-routes';
import { KNOWLEDGE_ROUTES } from '@parley/protocol/knowledge/routes';
import { DELIVERY_ERRORS } from '@parley/protocol/delivery/errors';
import { CONSOLE_ROUTES } from '@parley/protocol/console/routes';
import { COORDINATION_ROUTES } from '@parley/protocol/coordination/routes';
import { DELIVERY_ROUTES } from '@parley/protocol/delivery/routes';
import { DISCOVERY_ROUTES } from '@parley/protocol/discovery/routes';
import { HELP_ROUTES } from '@parley/protocol/help/routes';
import { AGENT_ROUTES } from '@parley/protocol/identity/agent-routes';
import { IDENTITY_ROUTES } from '@parley/protocol/identity/routes';
import { SCOPES } from '@parley/protocol/identity/scopes';
import { MCP_ROUTES } from '@parley/protocol/mcp/routes';
import { SCHEDULE_ROUTES } from '@parley/protocol/schedule/routes';
import { SERVICE_ROUTES } from '@parley/protocol/service/routes';
import { loadConfig } from '@parley/server/config/load';
import { fileKey, SETTINGS, variableNames } from '@parley/server/config/settings';
import { callTable, errorTable } from '@parley/server/rooms/skill/tables';
import { startParley } from '@parley/server/server';
import { root } from '../run.mjs';

export const PARTS = {
  'channel-errors': () => errors(CHANNEL_ERRORS, ({ hint }) => hint),
  'cli-help': cliHelp,
  'console-routes': () => routes(CONSOLE_ROUTES),
  'coordination-routes': () => routes(COORDINATION_ROUTES),
  'cue-routes': () => routes(CUE_ROUTES),
  'delivery-errors': () => errors(DELIVERY_ERRORS, ({ message }) => message),
  'delivery-routes': () => routes(DELIVERY_ROUTES),
  'discovery-routes': () => routes([...DISCOVERY_ROUTES, ...HELP_ROUTES, ...MCP_ROUTES]),
  'identity-routes': () => routes([...AGENT_ROUTES, ...IDENTITY_ROUTES]),
  'knowledge-routes': () => routes(KNOWLEDGE_ROUTES),
  'memory-limits': memoryLimits,
  'memory-routes': () => routes(CONTINUITY_ROUTES.toSorted((a, b) => (a.path < b.path ? -1 : 1))),
  metrics,
  'rooms-endpoints': callTable,
  'rooms-errors': errorTable,
  'service-routes': () => routes(SERVICE_ROUTES),
  'schedule-routes': () => routes(SCHEDULE_ROUTES),
  scopes: () => SCOPES.map((scope) => `\`${scope}\``).join(', '),
  settings,
};

const GROUPS = [
  ['Sealed channels', /^(?:ch[A-Z]|rl(?:Channels|ConcurrentChannels|Joins|Messages)Per)/],
  ['Rooms', /^rooms[A-Z]|^rl(?:Room|Listings|OpenListings|HumanCode|AgentStreams)/],
  ['Memory', /^continuity[A-Z]|^schedule[A-Z]|^handoff[A-Z]|^rlMemory/],
  ['Messages', /^dl[A-Z]|^rlInbound|^plan[A-Z]/],
  ['Server, identity, limits', /^/],
];

function settings() {
  const names = Object.keys(SETTINGS);
  const groupOf = (name) => GROUPS.find(([, pattern]) => pattern.test(name))[0];
  return [...GROUPS.slice(-1), ...GROUPS.slice(0, -1)]
    .map(([title]) => {
      const rows = names.filter((name) => groupOf(name) === title).map(settingRow);
      return `**${title}**\n\n${table(['setting', 'default', 'what it does'], rows)}`;
    })
    .join('\n\n');
}

function settingRow(name) {
  const { help, fallback, secret } = SETTINGS[name];
  const older = variableNames(name).slice(1);
  const also = older.length > 0 ? ` (also \`${older.join('`, `')}\`)` : '';
  return [`\`${fileKey(name)}\``, shownDefault(fallback), `${help}${also}${secret ? ' (secret)' : ''}`];
}

function shownDefault(value) {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return '';
  if (typeof value === 'boolean') return value ? '`on`' : '`off`';
  if (typeof value === 'object' && !Array.isArray(value)) {
    return Object.entries(value)
      .map((pair) => `\`${pair.join('=')}\``)
      .join(', ');
  }
  return `\`${value}\``;
}

function errors(catalogue, words) {
  const rows = Object.entries(catalogue).map(([code, row]) => [`\`${code}\``, row.status, words(row)]);
  return table(['error', 'status', 'meaning'], rows);
}

function routes(declarations) {
  const rows = declarations.map(({ method, path, auth, summary, unsupported }) => [
    `\`${method} ${path}\``,
    auth,
    unsupported ? `${summary} ${unsupported.hint}` : summary,
  ]);
  return table(['call', 'auth', 'does'], rows);
}

function memoryLimits() {
  const { items, tag, summary, reasoning } = RATIONALE_ENTRIES;
  const rows = [
    ...Object.entries(STATE_LISTS).map(([name, rule]) => [`\`${name}\``, rule.items, rule.chars]),
    ['`stance_summary`', 1, STANCE_CHARS],
    [
      '`negative_decisions`',
      NEGATIVE_DECISIONS.items,
      `${NEGATIVE_DECISIONS.decision}, rationale ${NEGATIVE_DECISIONS.rationale}`,
    ],
    ['`rationale_entries`', items, `tag ${tag}, summary ${summary}, reasoning ${reasoning}`],
    ['`related_documents`', RELATED_DOCUMENTS.items, `path ${RELATED_DOCUMENTS.path}`],
    [
      '`stable_preferences` (user, peer)',
      STABLE_PREFERENCES.items,
      `tag ${STABLE_PREFERENCES.tag}, content ${STABLE_PREFERENCES.content}`,
    ],
    ['`thread_descriptor.label` (thread, task)', 1, LABEL_CHARS],
  ];
  return table(['field', 'items', 'characters each'], rows);
}

/** Asked of a server that runs for a moment, since metrics are named where they are counted. */
async function metrics() {
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-docs-'));
  const { config } = loadConfig({ cwd: dataDir });
  const server = await startParley({ ...config, port: 0, dataDir, logLevel: 'silent' });
  try {
    const text = await (await fetch(`${server.url}/metrics`)).text();
    const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]));
    const rows = [...text.matchAll(/^# HELP (\S+) (.+)$/gm)].map(([, name, help]) => [
      `\`${name}\``,
      types.get(name),
      help,
    ]);
    return table(['metric', 'type', 'counts'], rows);
  } finally {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function cliHelp() {
  return helpPages([]).join('\n\n');
}

/** A command's help, then that of each command it lists. */
function helpPages(words) {
  const { stdout, status } = spawnSync(
    process.execPath,
    [`${root}/packages/cli/bin/parley.mjs`, ...words, '--help'],
    {
      encoding: 'utf8',
      env: { ...process.env, PARLEY_URL: '' },
    },
  );
  if (status !== 0) throw new Error(`docs: parley ${words.join(' ')} --help failed`);
  const own = `### parley ${words.join(' ')}`.trimEnd();
  const listed = /^Commands:\n((?: .*\n)+)/m.exec(stdout)?.[1] ?? '';
  const names = [...listed.matchAll(/^ {2}([a-z-]+)/gm)]
    .map(([, name]) => name)
    .filter((name) => name !== 'help');
  return [
    `${own}\n\n\`\`\`text\n${stdout.trimEnd()}\n\`\`\``,
    ...names.flatMap((name) => helpPages([...words, name])),
  ];
}

function table(head, rows) {
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function line(cells) {
  return `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
}
