import {
  METHOD_NOT_FOUND,
  HEADER_MISMATCH,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  PARSE_ERROR,
  UNSUPPORTED_VERSION,
} from '../rpc-error.ts';
import { declaredCodes, declaredError } from './declared-errors.ts';
import type { Advice } from './help-page.ts';

/** What is told over HTTP by name. */
export const NAMED_ERRORS = ['validation', 'tool_not_found', 'unknown_help_topic'] as const;

const SEE = 'tools/list has the schema of every tool, /v1/help/limits every bound.';

const ERRORS: Readonly<Record<string, Advice>> = {
  validation: {
    purpose: 'What was sent does not have the form of the operation.',
    when_to_use: 'When a call fails with 400 or 422, or a tool result has status 422.',
    common_mistakes: [
      'A field that is missing, too long, or of another type.',
      'An argument that the tool does not know.',
    ],
    correction_hints: ['Change what detail names, and send it again.', SEE],
  },
  tool_not_found: {
    purpose: 'There is no tool of that name.',
    when_to_use: 'When tools/call answers -32602 with the reason "unknown tool".',
    common_mistakes: [
      'A name from another server.',
      'A slash or a dash where the name has a dot or an underscore.',
    ],
    correction_hints: ['tools/list with the header Parley-Tools: all names every tool.'],
  },
  unknown_help_topic: {
    purpose: 'There is no page of that name.',
    when_to_use: 'When the help answers 400 or -32602.',
    common_mistakes: ['Asking for a tool as a topic, or the other way round.'],
    correction_hints: ['/v1/help lists what there is; the refusal has allowed_values.'],
  },
  [PARSE_ERROR]: {
    purpose: 'The body is not JSON.',
    when_to_use: 'With HTTP 400 and code -32700.',
    common_mistakes: ['A body that was cut off, or is not UTF-8.'],
    correction_hints: ['Post one JSON object.'],
  },
  [INVALID_REQUEST]: {
    purpose: 'The body is JSON, and no single JSON-RPC message.',
    when_to_use: 'With HTTP 400 and code -32600.',
    common_mistakes: ['A batch.', 'jsonrpc left out.', 'An id that is null, a fraction or a flag.'],
    correction_hints: [
      'Post one message with jsonrpc "2.0", a method, and an id that is a text or a whole number.',
    ],
  },
  [METHOD_NOT_FOUND]: {
    purpose: 'There is no such method in this era of the protocol.',
    when_to_use: 'With code -32601; HTTP 404 for modern clients, 200 for others.',
    common_mistakes: ['Calling a tool as a method.', 'initialize or ping by a modern client.'],
    correction_hints: ['Call tools with tools/call; /.well-known/mcp.json lists the methods.'],
  },
  [INVALID_PARAMS]: {
    purpose: 'The parameters of the method are wrong; data.reason says how.',
    when_to_use: 'With code -32602.',
    common_mistakes: ['name left out.', 'arguments that are no object.', 'A tool that does not exist.'],
    correction_hints: ['Change what data names.', SEE],
  },
  [INTERNAL_ERROR]: {
    purpose: 'A fault of the server.',
    when_to_use: 'With HTTP 500 and code -32603.',
    common_mistakes: [],
    correction_hints: ['Try again later; the operator finds the cause in the log.'],
  },
  [HEADER_MISMATCH]: {
    purpose: 'A header is missing or says something else than the body.',
    when_to_use: 'With HTTP 400 and code -32020.',
    common_mistakes: ['MCP-Protocol-Version, Mcp-Method or Mcp-Name left out or rewritten on the way.'],
    correction_hints: ['Send the same version, method and name in headers and body.'],
  },
  [UNSUPPORTED_VERSION]: {
    purpose: 'The version of the protocol is not spoken here.',
    when_to_use: 'With HTTP 400 and code -32022.',
    common_mistakes: ['A version that was never published, or is too old.'],
    correction_hints: ['data.supported lists the versions; take the first that you speak.'],
  },
};

export const errorCodes = (): readonly string[] => [...Object.keys(ERRORS), ...declaredCodes()];

export function errorPage(code: string): object | undefined {
  const found = Object.hasOwn(ERRORS, code) ? ERRORS[code] : declaredError(code);
  return found && { kind: 'error', id: code, ...found };
}
