/** One machine plays thousands of clients here, so what guards against one client must not count. */
export const UNLIMITED = {
  PARLEY_RATE_LIMITS: 'off',
  CH_MAX_MESSAGES: '100000000',
  CH_MAX_BYTES: '100000000000',
  PARLEY_CH_GLOBAL_MAX_BYTES: '100000000000',
};
