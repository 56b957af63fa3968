import * as channels from '@parley/protocol/channels/limits';
import * as memory from '@parley/protocol/continuity/limits';
import { PLAN_NAMES, SELF_HOSTED_REQUESTS } from '@parley/protocol/delivery/plans';
import {
  DEFAULT_GRACE_SECONDS,
  DEFAULT_RATES,
  DEFAULT_RETENTION_SECONDS,
  DEFAULT_SWEEP_MS,
} from '@parley/protocol/rooms/limits';
import { TOOL_GROUPS } from '@parley/protocol/tools/tool';
import { DUE_LIMIT, UPCOMING_LIMIT, UPCOMING_WINDOW_HOURS } from '@parley/protocol/schedule/limits';
import { DELIVERY_SETTINGS } from './delivery-settings.ts';
import { PLAN_SETTINGS } from './plan-settings.ts';
import { STORE_SETTINGS } from './store-settings.ts';
import { choice, clamped, integer, list, onOff, optionalText, positive, text, words } from './setting.ts';

/** Older names of variables that are read as they are: without `PARLEY_`, or with another prefix. */
const BARE = { older: '' };
const COGNIRELAY = { older: 'COGNIRELAY_' };

const ofChannels = (help: string, fallback: number) => positive(help, fallback, BARE);

/**
 * Every setting of the server. The key `chIdleTimeoutMs` is the flag `--ch-idle-timeout-ms`, the variable
 * `PARLEY_CH_IDLE_TIMEOUT_MS` and the file key `ch_idle_timeout_ms`.
 */
export const SETTINGS = {
  host: text('Address to listen on', '127.0.0.1', BARE),
  port: integer('Port to listen on; 0 picks a free one', 7330, { max: 65_535, ...BARE }),
  dataDir: text('Folder of the embedded store, the lock and the key file', './parley-data'),
  minFreeDiskMb: integer(
    'MiB that must be left where the data folder is; below it nothing new is stored; 0: never look',
    100,
  ),
  ...STORE_SETTINGS,
  publicUrl: optionalText(
    'URL under which clients reach this server, when it is not the one they connect to',
  ),
  allowedHosts: list(
    'Names the server answers to beside its own; on a loopback address others get 421, elsewhere only if this is set; *: any',
  ),
  trustedProxies: list('Addresses or CIDRs whose X-Forwarded-* headers are believed'),
  rateLimits: onOff('Rate limits of all protocols', true),
  rlLocalFactor: integer(
    'How many times as much this machine may do as an address, on a server that nobody else is told of',
    100,
    { min: 1, max: 1_000_000 },
  ),
  callbackAllow: list('host[:port] or CIDR that outgoing requests may reach although private'),
  production: onOff('Refuse plain http and unresolvable names for outgoing requests', false),
  secretKey: optionalText('32 bytes (hex or base64url) that encrypt secrets at rest; default: a key file', {
    secret: true,
  }),
  acceptNewKey: onOff(
    'Start although the secret key is another one than before; what the old one sealed is lost',
    false,
  ),
  logLevel: choice('Least level to log', 'info', ['trace', 'debug', 'info', 'warn', 'error', 'silent']),
  logFormat: choice('Log lines as JSON or for people; auto: people on a terminal', 'auto', [
    'auto',
    'json',
    'pretty',
  ]),

  jobLeaseMs: integer(
    'Background jobs of a node that gave no sign of life for this long are taken over by another',
    30_000,
    { min: 1_000, max: 600_000 },
  ),
  deadJobDays: integer('Background jobs that gave up are kept this many days for a look', 30, {
    min: 1,
    max: 36_500,
  }),

  registration: choice('Who may register; auto: anyone on a loopback address, else by invite', 'auto', [
    'auto',
    'open',
    'invite',
    'closed',
  ]),
  allowOpenRegistration: onOff('Let registration=open serve other addresses than loopback', false),
  internalToken: optionalText(
    'Token of a trusted program that names the owner it acts for in X-On-Behalf-Of; default: none',
    { secret: true },
  ),
  operatorReads: choice(
    'What an operator sees of owners at the console of a server that others reach: names, states and counts, or their texts too',
    'names',
    ['names', 'content'],
  ),
  defaultPlan: choice('Plan of new owners; self_hosted has no quotas', 'self_hosted', PLAN_NAMES),
  budgetAgents: integer('Agents one account may have; 0: no limit', 2000),
  budgetKeys: integer('Keys one account may have; 0: no limit', 2000),
  budgetBytes: integer(
    'Megabytes of messages, in rooms too, and of runs of cues one account may have stored, and as many of documents; 0: no limit',
    4096,
  ),
  budgetCues: integer('Cues one account may have, in every status; 0: no limit', 200_000),
  budgetDocuments: integer(
    'Documents of memory one account may have, reminders and handoffs among them; 0: no limit',
    500_000,
  ),
  budgetLiveSessions: integer('Live sessions one account may have attached; 0: no limit', 2000),
  corsOrigins: list('Origins whose pages may call the rooms API, and register'),
  agentCard: optionalText(
    'The agent (slug@owner) whose card /.well-known/agent-card.json shows when none is named',
  ),
  contractVersion: text(
    'What /health, /v1/contracts and discovery name as the version of the contract',
    '2026-02-25',
  ),
  mcpTools: words(
    'Groups of tools that MCP clients with a credential are shown unless they ask for others',
    ['default'],
    TOOL_GROUPS,
  ),
  rlRequestsPerMinute: integer(
    'Requests per key and minute on the plan self_hosted; 0: no limit',
    SELF_HOSTED_REQUESTS,
  ),
  rlRegistrationsPerMinute: positive('Registrations per address and minute', 60),
  rlRegistrationsPerHour: positive('Registrations per address and hour', 120),
  rlFailedLoginsPerMinute: positive('Failed logins per address and minute', 30),
  rlFailedAuthPerMinute: positive('Requests with a bad key or token per address and minute', 300),

  rlChannelsPerHour: ofChannels(
    'Channels one address may create per hour',
    channels.DEFAULT_CREATES_PER_HOUR,
  ),
  rlConcurrentChannelsPerIp: ofChannels(
    'Live channels created by one address',
    channels.DEFAULT_CONCURRENT_CHANNELS,
  ),
  rlJoinsPerHour: ofChannels('Channel joins per address and hour', channels.DEFAULT_JOINS_PER_HOUR),
  rlMessagesPerHour: ofChannels('Channel sends per address and hour', channels.DEFAULT_SENDS_PER_HOUR),
  chMaxParticipants: ofChannels('Participants per channel', channels.DEFAULT_MAX_PARTICIPANTS),
  chMaxMessages: ofChannels('Events per channel, joins and leaves included', channels.DEFAULT_MAX_EVENTS),
  chMaxBytes: ofChannels('Bytes of text one channel may hold', channels.DEFAULT_MAX_CHANNEL_BYTES),
  chGlobalMaxBytes: ofChannels(
    'Bytes of text all channels together may hold',
    channels.DEFAULT_MAX_TOTAL_BYTES,
  ),
  chIdleTimeoutMs: ofChannels(
    'A channel without activity for this long is evicted',
    channels.DEFAULT_IDLE_TIMEOUT_MS,
  ),
  chMaxLifetimeMs: ofChannels('A channel older than this is evicted', channels.DEFAULT_MAX_LIFETIME_MS),
  chSweepIntervalMs: integer(
    'How often channels are checked against the clock',
    channels.DEFAULT_SWEEP_INTERVAL_MS,
    { min: 10, ...BARE },
  ),
  chPollTimeoutMs: integer('How long a poll is held', channels.DEFAULT_POLL_TIMEOUT_MS, BARE),
  chHibernateMaxMs: integer('Idle channels sleep this long instead of being evicted; 0: off', 0, BARE),
  chEvictNoticeMs: integer(
    'Announce an eviction and let participants read for this long; 0: silent',
    0,
    BARE,
  ),

  rlExemptLoopback: onOff('Requests from this machine are not counted by address', false),
  roomsGraceSeconds: integer(
    'A closed room keeps its content this long after it was last read',
    DEFAULT_GRACE_SECONDS,
  ),
  roomsRetentionSeconds: integer(
    'A closed room keeps its content at most this long',
    DEFAULT_RETENTION_SECONDS,
  ),
  roomsPurgeUnread: choice(
    'A closed room nobody read goes after the retention cap or after the grace',
    'cap',
    ['cap', 'grace'],
  ),
  roomsSweepMs: integer('How often rooms are checked against the clock', DEFAULT_SWEEP_MS, { min: 10 }),
  roomsPolicy: choice('Content policy of room messages', 'off', ['off', 'compat']),
  roomsPromptDir: optionalText(
    'Folder with SYSTEM_CORE.txt, SOUL.txt, … that replace the prompt layers of rooms',
  ),
  rlRoomMessagesPerAgent: integer(
    'Room messages one agent may send per minute',
    DEFAULT_RATES.messagesPerAgent,
  ),
  rlRoomMessagesPerRoom: integer('Messages one room may take per minute', DEFAULT_RATES.messagesPerRoom),
  rlRoomMessageAttempts: integer(
    'Room message attempts per address and minute',
    DEFAULT_RATES.messageAttemptsPerAddress,
  ),
  rlRoomEventStreams: integer(
    'Open event streams of one agent on one room',
    DEFAULT_RATES.eventStreamsPerAgentRoom,
  ),
  rlRoomEventConnects: integer(
    'Event stream connects per agent, room and minute',
    DEFAULT_RATES.eventConnectsPerAgentRoom,
  ),
  rlRoomEventConnectsPerIp: integer(
    'Event stream connects per address and minute',
    DEFAULT_RATES.eventConnectsPerAddress,
  ),
  rlListingsPerAgent: integer('Listings one agent may create per minute', DEFAULT_RATES.listingsPerAgent),
  rlOpenListingsPerAgent: integer('Open listings one agent may have', DEFAULT_RATES.openListingsPerAgent),
  rlHumanCodeFailures: integer(
    'Wrong human codes per room, address and minute',
    DEFAULT_RATES.humanCodeFailures,
  ),
  rlViewerStreams: positive('Open streams of one viewer of a room', DEFAULT_RATES.streamsPerViewer),
  rlAgentStreams: integer('Open agent streams of one agent', DEFAULT_RATES.agentStreamsPerAgent),
  rlRoomTyping: integer('Typing calls per agent, room and minute', DEFAULT_RATES.typingPerAgentRoom),

  ...DELIVERY_SETTINGS,
  ...PLAN_SETTINGS,

  continuityRetentionArchiveDays: positive(
    'Archived capsules older than this may go into cold storage',
    memory.DEFAULT_ARCHIVE_DAYS,
    COGNIRELAY,
  ),
  continuityRevisionsKept: positive('Older states kept of each capsule', memory.DEFAULT_REVISIONS_KEPT),
  handoffsKeptDays: integer('Days after which a handoff that was answered is removed; 0: never', 365),
  scheduleDueLimit: clamped('Reminders that are due a startup read shows at most', DUE_LIMIT, COGNIRELAY),
  scheduleUpcomingLimit: clamped(
    'Reminders that are still to come it shows at most',
    UPCOMING_LIMIT,
    COGNIRELAY,
  ),
  scheduleUpcomingWindowHours: clamped(
    'How many hours ahead it looks for them',
    UPCOMING_WINDOW_HOURS,
    COGNIRELAY,
  ),
  handoffMessages: onOff('A handoff also reaches its recipient as a message', true),
  memoryImport: list(
    'Folders with memory to take over at start, as SLUG=FOLDER, or FOLDER for the only owner or with a folder per owner',
  ),
  memoryMirror: optionalText('Folder in which the memory of each owner is kept as a git repository'),
  gitProgram: text('The git that writes the mirror and exports', 'git', { program: true }),
  rlMemoryPerToken: positive(
    'Calls of one memory operation per key and minute',
    memory.CALLS_PER_MINUTE.perToken,
  ),
  rlMemoryPerIp: positive(
    'Calls of one memory operation per address and minute',
    memory.CALLS_PER_MINUTE.perAddress,
  ),
} as const;

export type SettingName = keyof typeof SETTINGS;

export type Config = { readonly [Name in SettingName]: ReturnType<(typeof SETTINGS)[Name]['parse']> };

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

export const fileKey = (name: SettingName): string => snake(name);
export const flagName = (name: SettingName): string => `--${snake(name).replaceAll('_', '-')}`;
export const variableName = (name: SettingName): string => `PARLEY_${snake(name).toUpperCase()}`;

export type NumberSetting = {
  [Name in SettingName]: Config[Name] extends number ? Name : never;
}[SettingName];

/** A limit that is a setting: how much, and the variable that is named to whoever runs into it. */
export const limitOf = <Name extends NumberSetting>(config: Pick<Config, Name>, name: Name) => ({
  limit: config[name],
  setting: variableName(name),
});

/** The name of the variable, then the older ones, which count where it is not set. */
export function variableNames(name: SettingName): readonly string[] {
  const { older } = SETTINGS[name];
  return [variableName(name), ...(older === undefined ? [] : [`${older}${snake(name).toUpperCase()}`])];
}
