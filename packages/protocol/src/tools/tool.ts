import type { Scope } from '../identity/scopes.ts';
import type { RouteDeclaration } from '../route.ts';

/** What a client can ask for, so that an agent is not shown more tools than it needs. */
export const TOOL_GROUPS = [
  'default',
  'memory',
  'documents',
  'schedule',
  'coordination',
  'agents',
  'messages',
  'rooms',
  'cues',
  'executions',
  'system',
  'help',
  'all',
] as const;
export type ToolGroup = (typeof TOOL_GROUPS)[number];

/** What a call may do to what is stored. */
type Effect = 'reads' | 'writes' | 'destroys';

export interface ToolDeclaration {
  /** `module.verb`; clients remember it, so it never changes. */
  readonly name: string;
  readonly title: string;
  /** For a model that has never seen this server: what it does, when to use it, what comes back. */
  readonly description: string;
  readonly route: RouteDeclaration;
  readonly group: Exclude<ToolGroup, 'default' | 'all'>;
  /** Also shown to agents that ask for nothing in particular. */
  readonly isDefault?: boolean;
  readonly effect: Effect;
  /** Calling it twice is the same as once. Reading always is. */
  readonly isIdempotent?: boolean;
  /** Where the arguments beside the declared ones are refused. */
  readonly isStrict?: boolean;
  /** Of those that a call may need, where the route cannot say. */
  readonly scopes?: readonly Scope[];
  /** Arguments of the path that are called otherwise than in it. */
  readonly params?: Readonly<Record<string, string>>;
  /** The argument that names an agent; without it the caller's own. */
  readonly self?: string;
  /** Arguments that travel as headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Arguments of the route that are called otherwise here. */
  readonly renamed?: Readonly<Record<string, string>>;
  /** What the route takes for older clients, and no model should be bothered with. */
  readonly without?: readonly string[];
  /** Arguments that the route can do without only because it takes another in their place. */
  readonly needed?: readonly string[];
  /** What arguments mean, where their names do not say it. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Arguments of which only those members are told that have to be there; the others are taken, too. */
  readonly brief?: readonly string[];
  /** Where a query tells its type less plainly than it is. */
  readonly shapes?: Readonly<Record<string, JsonSchema>>;
  /** Only for callers on the machine of the server. */
  readonly isLocalOnly?: boolean;
}

export type JsonSchema = Readonly<Record<string, unknown>>;

export const needsToken = ({ route }: ToolDeclaration): boolean => route.auth !== 'none';

/** Whether nothing is different after a second call. */
export const isIdempotent = (tool: ToolDeclaration): boolean => tool.isIdempotent ?? tool.effect === 'reads';
