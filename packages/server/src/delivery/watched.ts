/** The tables whose changes others may watch, by what they hold. */
export const deliveryTables = {
  agents: ['agent_delivery', 'live_sessions', 'workers'],
  messages: ['messages', 'message_threads'],
  executions: ['executions', 'delivery_attempts', 'alerts'],
  cues: ['cues'],
  webhooks: ['event_subscriptions'],
  events: ['agent_events'],
} as const;
