/** A value that is here already, or comes later: what memory answers at once, a remote store answers with a promise. */
export type Eventually<T> = T | Promise<T>;

/** Goes on at once with what is here already: a promise would cost a turn for each of thousands of requests. */
export function eventually<T>(
  make: () => Eventually<T>,
  then: (value: T) => void,
  failed: (error: Error) => void = rethrow,
): void {
  let value: Eventually<T>;
  try {
    value = make();
  } catch (error) {
    failed(error as Error);
    return;
  }
  if (value instanceof Promise) void value.then(then, failed);
  else then(value);
}

/** What `change` makes of the value, as soon as that is here. */
export function mapped<From, To>(value: Eventually<From>, change: (value: From) => To): Eventually<To> {
  return value instanceof Promise ? value.then(change) : change(value);
}

function rethrow(error: Error): never {
  throw error;
}
