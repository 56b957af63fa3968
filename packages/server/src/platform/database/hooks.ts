/** What was to be done after a commit. One that throws takes nothing from the others: what they tell of is stored. */
export function runHooks(hooks: readonly (() => void)[], onError: (error: unknown) => void): void {
  for (const hook of hooks) {
    try {
      hook();
    } catch (error) {
      onError(error);
    }
  }
}
