/** The tables whose changes others may watch, by what they hold. */
export const identityTables = {
  agents: ['agents'],
  keys: ['api_keys', 'sign_ins'],
  owners: ['owners'],
} as const;
