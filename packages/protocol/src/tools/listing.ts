import { type InputSchema, inputSchema, shownPath } from './input-schema.ts';
import { outputSchema } from './output-schema.ts';
import { isIdempotent, type JsonSchema, type ToolDeclaration } from './tool.ts';

/** A tool as MCP lists it. */
export interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: InputSchema;
  readonly outputSchema: JsonSchema;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly idempotentHint: boolean;
    readonly destructiveHint: boolean;
  };
  readonly metadata: ToolMetadata;
}

interface ToolMetadata {
  readonly method: string;
  readonly path: string;
  readonly scopes: readonly string[];
  readonly idempotent: boolean;
  readonly local_only: boolean;
}

export function listedTool(tool: ToolDeclaration): ListedTool {
  const { name, title, description, effect, route } = tool;
  return {
    name,
    title,
    description,
    inputSchema: inputSchema(tool),
    outputSchema: outputSchema(tool),
    annotations: {
      readOnlyHint: effect === 'reads',
      idempotentHint: isIdempotent(tool),
      destructiveHint: effect === 'destroys',
    },
    metadata: {
      method: route.method,
      path: shownPath(tool),
      scopes: scopesOf(tool),
      idempotent: isIdempotent(tool),
      local_only: tool.isLocalOnly ?? false,
    },
  };
}

/** What a key needs for it; none where the parties decide, or nobody is asked. */
const scopesOf = ({ scopes, route }: ToolDeclaration): readonly string[] => scopes ?? route.scopes ?? [];
