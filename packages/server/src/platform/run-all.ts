/** One that throws takes nothing from the others. */
export function runAll(actions: readonly (() => void)[], onError: (error: unknown) => void): void {
  for (const action of actions) {
    try {
      action();
    } catch (error) {
      onError(error);
    }
  }
}
