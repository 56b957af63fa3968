import { z } from 'zod';
import { declareRoute } from '../route.ts';

const id = z.union([z.string(), z.int()]);
const jsonrpc = z.literal('2.0');

/** Every refusal of the endpoint, whatever its status; `id` is that of the request where it could be read. */
export const rpcErrorAnswer = z.object({
  jsonrpc,
  id: id.nullable().optional(),
  error: z.object({ code: z.int(), message: z.string(), data: z.record(z.string(), z.unknown()).optional() }),
});

const result = z.object({ jsonrpc, id, result: z.record(z.string(), z.unknown()) });

export const mcp = declareRoute({
  name: 'mcp',
  method: 'POST',
  path: '/v1/mcp',
  auth: 'optional key',
  summary:
    'One message of the Model Context Protocol. Notifications are answered 202, subscriptions/listen with server-sent events.',
  body: z.looseObject({
    jsonrpc,
    id: id.optional(),
    method: z.string(),
    params: z.record(z.string(), z.unknown()).optional(),
  }),
  success: 200,
  silent: [202],
  answer: z.union([result, rpcErrorAnswer]),
});

export const MCP_ROUTES = [mcp] as const;
