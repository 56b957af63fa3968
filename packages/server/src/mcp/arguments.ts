import { inputSchema } from '@parley/protocol/tools/input-schema';
import type { ToolDeclaration } from '@parley/protocol/tools/tool';
import type { Loose } from './message.ts';

/** One breach of a tool's schema. Never shows what was sent. */
export interface ArgumentProblem {
  /** A JSON pointer. */
  readonly path: string;
  readonly keyword: string;
  readonly message: string;
}

const MOST_TOLD = 20;

/** Loaded when the first tool is called: a server that nobody speaks MCP to does not need it. */
async function loadAjv() {
  const { Ajv } = await import('@modelcontextprotocol/server/validators/ajv');
  return new Ajv({ strict: false, allErrors: true, validateSchema: false, validateFormats: false });
}

type Ajv = Awaited<ReturnType<typeof loadAjv>>;

let loaded: Promise<Ajv> | undefined;
const made = new WeakMap<ToolDeclaration, ReturnType<Ajv['compile']>>();

/** Strictly by type: where a route takes `"5"` for 5, a tool does not. */
export async function problemsOf(tool: ToolDeclaration, given: Loose): Promise<readonly ArgumentProblem[]> {
  const ajv = await (loaded ??= loadAjv());
  const validate = made.get(tool) ?? ajv.compile(inputSchema(tool));
  made.set(tool, validate);
  return validate(given) ? [] : (validate.errors ?? []).slice(0, MOST_TOLD).map(problemOf);
}

interface SchemaFault {
  readonly instancePath: string;
  readonly keyword: string;
  readonly message?: string;
  readonly params: Readonly<Record<string, unknown>>;
}

function problemOf({
  instancePath,
  keyword,
  message = 'is not valid',
  params,
}: SchemaFault): ArgumentProblem {
  const member = params.missingProperty ?? params.additionalProperty;
  return {
    path: typeof member === 'string' ? `${instancePath}/${pointer(member)}` : instancePath,
    keyword,
    message,
  };
}

const pointer = (member: string): string => member.slice(0, 200).replaceAll('~', '~0').replaceAll('/', '~1');
