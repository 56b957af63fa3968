/** Aborted by Ctrl+C or a service manager, for commands that wait until then. */
export function untilInterrupted(): AbortSignal {
  const stop = new AbortController();
  const halt = (): void => stop.abort();
  process.once('SIGINT', halt).once('SIGTERM', halt);
  return stop.signal;
}
