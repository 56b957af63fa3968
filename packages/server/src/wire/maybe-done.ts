/** Told after "the database does not answer: ", where the connection broke while it committed. */
export const MAYBE_DONE =
  'it broke off while this was stored, so it may have been done or not. Look before you send it again';
/** Where the protocol has such a header. */
export const OR_SAME_KEY = ', or send it with the same Idempotency-Key';
