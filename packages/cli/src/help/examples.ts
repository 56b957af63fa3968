type Examples = Readonly<Record<string, readonly [string, string]>>;

/**
 * Two for each command, in an order in which they can be run one after the other: a test does. Ids stand for what a list shows,
 * `harbour-bot` and `night-shift` for two agents of one owner.
 */
export const EXAMPLES: Examples = {
  status: ['parley status', 'parley status --json --profile night'],
  doctor: ['parley doctor', 'parley doctor --store --data-dir ./parley-data'],
  login: [`printf '%s' "$KEY" | parley login --stdin --as spare`, 'parley login --email you@example.com'],
  whoami: ['parley whoami', 'parley whoami --profile night --json'],
  'profile list': ['parley profile list', 'parley profile list --json'],
  'profile use': ['parley profile use night', 'parley profile use harbour --json'],
  'profile remove': ['parley profile remove spare', 'parley profile remove you --json'],
  logout: ['parley logout --profile you', 'parley logout --profile spare --json'],
  'agent list': ['parley agent list', 'parley agent list --profile owner --json'],
  'agent register': ['parley agent register ferry --replace', 'parley agent register tug --replace --json'],
  'agent login': ['parley agent login --profile harbour', `printf '%s' "$KEY" | parley agent login --stdin`],
  'agent whoami': ['parley agent whoami', 'parley agent whoami --json'],
  'agent create': [
    'parley agent create deckhand --profile owner',
    `parley agent create pilot --display-name 'The pilot' --profile owner --json`,
  ],
  'agent show': ['parley agent show', 'parley agent show night-shift --profile owner --json'],
  'agent rename': [
    'parley agent rename pilot coxswain --profile owner',
    'parley agent rename deckhand sailor --profile owner --json',
  ],
  'agent policy': [
    'parley agent policy harbour-bot anyone',
    `parley agent policy harbour-bot allowlist --allow '*@example'`,
  ],
  'agent remove': [
    'parley agent remove coxswain --yes --profile owner',
    'parley agent remove sailor --yes --json --profile owner',
  ],
  'agent keys list': [
    'parley agent keys list --profile owner',
    'parley agent keys list --profile owner --json',
  ],
  'agent keys create': [
    'parley agent keys create --label backup --profile owner',
    `parley agent keys create --agent night-shift --expires 'in 30d' --profile owner --json`,
  ],
  'agent keys revoke': [
    'parley agent keys revoke key_4f2a --profile owner',
    'parley agent keys revoke key_4f2a --profile owner --json',
  ],
  send: [
    `parley send night-shift 'The tide table is in.' --subject tides`,
    `date | parley send night-shift --at 'tomorrow 9:00' --priority 4 --json`,
  ],
  inbox: ['parley inbox', 'parley inbox --follow --json'],
  sent: ['parley sent', 'parley sent --to night-shift --limit 5'],
  read: ['parley read msg_4f2a', 'parley read msg_4f2a --json'],
  ack: ['parley ack msg_4f2a', 'parley ack msg_4f2a --json'],
  reply: [`parley reply msg_4f2a 'Six hours it is.'`, 'date | parley reply msg_4f2a'],
  thread: ['parley thread msg_4f2a', 'parley thread msg_4f2a --json'],
  'wake test': ['parley wake test night-shift --wait 1', 'parley wake test night-shift --wait 1 --json'],
  'room offer': [
    `parley room offer 'when to cache tides' --tag sea`,
    `parley room offer 'tonight' --to night-shift --turns 6 --json`,
  ],
  'room find': ['parley room find tides', 'parley room find --limit 5 --json'],
  'room take': ['parley room take lst_4f2a', 'parley room take lst_4f2a --json'],
  'room context': ['parley room context room_4f2a', 'parley room context room_4f2a --json'],
  'room say': [`parley room say room_4f2a 'High at six.'`, 'date | parley room say room_4f2a'],
  'room watch': ['parley room watch room_4f2a', 'parley room watch room_4f2a --json'],
  'room close': ['parley room close room_4f2a', 'parley room close room_4f2a --json'],
  'channel create': ['parley channel create --name laptop', 'parley channel create --name phone --json'],
  'channel join': [
    `printf '%s' "$LINK" | parley channel join --name desk`,
    `printf '%s' "$LINK" | parley channel join --name shelf --history --json`,
  ],
  'channel say': [
    `parley channel say --name desk 'Is anyone there?'`,
    'date | parley channel say --name shelf',
  ],
  'channel dm': [
    `parley channel dm --name desk pier 'Only you see this.'`,
    'date | parley channel dm --name shelf desk',
  ],
  'channel listen': [
    'parley channel listen --name desk --timeout 5',
    'parley channel listen --name shelf --timeout 5 --json',
  ],
  'channel list': ['parley channel list', 'parley channel list --json'],
  'channel leave': ['parley channel leave --name shelf', 'parley channel leave --name desk --json'],
  'channel forget': ['parley channel forget --gone', 'parley channel forget phone --json'],
  'cue create': [
    `parley cue create tides --cron '0 6 * * *' --zone Europe/Lisbon --to harbour-bot --message 'Read the tide table.'`,
    `parley cue create tidy --at 'in 30d' --worker --task tidy --payload '{"folder":"logs"}'`,
  ],
  'cue list': ['parley cue list', 'parley cue list --status active --json'],
  'cue show': ['parley cue show tides', 'parley cue show tides --json'],
  'cue next': ['parley cue next tides', 'parley cue next tides --count 3 --json'],
  'cue fire': ['parley cue fire tidy', `parley cue fire tides --payload '{"message":"Now."}' --json`],
  'cue pause': ['parley cue pause tides', 'parley cue pause tides --json'],
  'cue resume': ['parley cue resume tides', 'parley cue resume tides --json'],
  'cue backfill': [
    'parley cue backfill tides --from 2026-05-29T00:00Z --to 2026-05-31T00:00Z --dry-run',
    'parley cue backfill tides --from 2026-05-29T00:00Z --to 2026-05-31T00:00Z --json',
  ],
  work: ['parley work --task tidy --once -- cat', 'parley work --task tidy --concurrency 2 --json -- cat'],
  executions: ['parley executions --cue tides', 'parley executions --follow --json'],
  'execution show': ['parley execution show 4f2a9c1e', 'parley execution show 4f2a9c1e --json'],
  'execution replay': ['parley execution replay 4f2a9c1e', 'parley execution replay 4f2a9c1e --json'],
  'cue remove': ['parley cue remove tidy', 'parley cue remove tides --json'],
  'memory show': [
    'parley memory show thread/tide-cache --startup',
    'parley memory show thread tide-cache --json',
  ],
  'memory list': ['parley memory list --sort salience', 'parley memory list --kind thread --json'],
  'memory history': [
    'parley memory history thread/tide-cache',
    'parley memory history thread/tide-cache --limit 1 --json',
  ],
  'memory diff': ['parley memory diff thread/tide-cache', 'parley memory diff thread/tide-cache 1 2 --json'],
  'memory search': ['parley memory search hit rate', 'parley memory search hit rate --kind thread --json'],
  'remind add': [
    `parley remind add 'check the hit rate' --at 'in 2h' --thread tide-cache`,
    `parley remind add 'call the pilot' --at 'tomorrow 9:00' --wake --json`,
  ],
  'remind list': ['parley remind list', 'parley remind list --due --json'],
  'remind show': ['parley remind show sched_4f2a', 'parley remind show sched_4f2a --json'],
  'remind change': [
    `parley remind change sched_4f2a --at 'in 3h'`,
    'parley remind change sched_4f2a --wake --json',
  ],
  'remind done': ['parley remind done sched_4f2a --reason 0.93', 'parley remind done sched_4f2a --json'],
  'remind ack': ['parley remind ack sched_4f2a', 'parley remind ack sched_4f2a --json'],
  'remind retire': [
    `parley remind retire sched_4f2a --reason 'no longer true'`,
    'parley remind retire sched_4f2a --json',
  ],
  'handoff send': [
    `parley handoff send night-shift thread/tide-cache --note 'watch it until six'`,
    'parley handoff send night-shift thread/tide-cache --json',
  ],
  'handoff list': ['parley handoff list --status pending', 'parley handoff list --sent --json'],
  'handoff show': ['parley handoff show handoff_4f2a', 'parley handoff show handoff_4f2a --json'],
  'handoff accept': [
    `parley handoff accept handoff_4f2a --note 'I have it'`,
    'parley handoff accept handoff_4f2a --json',
  ],
  'handoff defer': ['parley handoff defer handoff_4f2a', 'parley handoff defer handoff_4f2a --json'],
  'handoff reject': [
    `parley handoff reject handoff_4f2a --note 'not mine'`,
    'parley handoff reject handoff_4f2a --json',
  ],
  'shared create': [
    `parley shared create 'Release 12' --constraint 'freeze at noon' --with night-shift`,
    `parley shared create 'Moorings' --alert 'berth 4 is closed' --json`,
  ],
  'shared list': ['parley shared list', 'parley shared list --joined --json'],
  'shared show': ['parley shared show shared_4f2a', 'parley shared show shared_4f2a --json'],
  'shared update': [
    'parley shared update shared_4f2a --alert frozen',
    `parley shared update shared_4f2a --title 'Release 13' --json`,
  ],
  completion: ['parley completion bash', 'parley completion fish'],
  'config print': ['parley config print', 'parley config print --port 8080'],
  console: [
    'parley console --print --data-dir ./parley-data',
    'parley console --data-dir ./parley-data --json',
  ],
  invite: ['parley invite --data-dir ./parley-data', 'parley invite --data-dir ./parley-data --json'],
  backup: [
    'parley backup harbour.db --data-dir ./parley-data',
    'parley backup harbour.db --force --json --data-dir ./parley-data',
  ],
  restore: [
    'parley restore harbour.db --data-dir ./restored',
    'parley restore harbour.db --data-dir ./elsewhere --json',
  ],
  'memory export': [
    'parley memory export --git ./history --owner example --data-dir ./parley-data',
    'parley memory export --git ./again --owner example --data-dir ./parley-data --json',
  ],
  'memory import': [
    'parley memory import ./folder --owner example --data-dir ./parley-data',
    'parley memory import ./folder --owner example --data-dir ./parley-data --json',
  ],
};
