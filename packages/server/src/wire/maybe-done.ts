/** Told after "the database does not answer: ", where the connection broke while it committed. */
export const MAYBE_DONE =
  'it broke off while this was stored, so it may have been done or not. Look first, or send it again with the same Idempotency-Key';
