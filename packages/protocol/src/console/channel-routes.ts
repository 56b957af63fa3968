import { z } from 'zod';
import { time } from '../delivery/fields.ts';
import { declareRoute } from '../route.ts';

/** Nothing of a text, a key or a token. */
const channel = z.object({
  id: z.string(),
  state: z.enum(['awake', 'asleep', 'closing']),
  participants: z.array(z.object({ name: z.string(), seen_at: time })),
  messages: z.int(),
  bytes: z.int(),
  listening: z.int(),
  created_at: time,
  active_at: time,
  /** When it sleeps or ends if nothing happens; null while somebody listens. */
  idle_at: time.nullable(),
  ends_at: time,
});

const channelsAnswer = z.object({
  channels: z.array(channel),
  limits: z.object({ participants: z.int(), messages: z.int(), bytes: z.int() }),
});

export const consoleChannels = declareRoute({
  name: 'console_channels',
  method: 'GET',
  path: '/v1/console/channels',
  auth: 'operator',
  summary: 'Sealed channels: who, when and how much, never what. For operators.',
  success: 200,
  answer: channelsAnswer,
});

export const CONSOLE_CHANNEL_ROUTES = [consoleChannels] as const;

export type ConsoleChannelsAnswer = z.infer<typeof channelsAnswer>;
