/** The tables whose changes others may watch, by what they hold. */
export const roomTables = {
  rooms: ['rooms', 'room_participants', 'room_messages', 'room_listings'],
  webhooks: ['room_webhook_endpoints'],
} as const;
