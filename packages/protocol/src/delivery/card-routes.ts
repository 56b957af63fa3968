import { z } from 'zod';
import { declareRoute } from '../route.ts';
import { agentRef } from './fields.ts';

const modes = z.array(z.string());

/** An agent as clients of other servers look for one; the form is that of A2A. */
export const agentCard = declareRoute({
  name: 'agent_card',
  method: 'GET',
  path: '/.well-known/agent-card.json',
  auth: 'none',
  summary:
    'The card of an agent that asked for one with profile.agent_card; by default the one that the server names.',
  query: z.object({ agent: agentRef.optional() }),
  success: 200,
  answer: z.object({
    protocolVersion: z.string(),
    name: z.string(),
    description: z.string(),
    version: z.string(),
    url: z.string(),
    preferredTransport: z.string(),
    documentationUrl: z.string(),
    provider: z.object({ organization: z.string(), url: z.string() }),
    capabilities: z.object({ streaming: z.boolean(), pushNotifications: z.boolean() }),
    securitySchemes: z.record(z.string(), z.object({ type: z.literal('http'), scheme: z.literal('bearer') })),
    security: z.array(z.record(z.string(), z.array(z.string()))),
    defaultInputModes: modes,
    defaultOutputModes: modes,
    skills: z.array(
      z.object({ id: z.string(), name: z.string(), description: z.string(), tags: z.array(z.string()) }),
    ),
  }),
});
