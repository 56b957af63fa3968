const CHECKS = [
  'config_exists',
  'config_valid',
  'session_exists',
  'session_readable',
  'state_readable',
  'token_dir_exists',
  'wake_queue_dir_exists',
  'token_dir_writable',
  'wake_queue_dir_writable',
  'file_modes_ok',
  'tokens_readable',
  'queue_readable',
  'wakes_flow',
  'openclaw_hook_configured',
  'hook_reachable',
  'api_health',
  'clock_ok',
  'session_valid',
  'tokens_ours',
] as const;
type Check = (typeof CHECKS)[number];

interface Problem {
  readonly check: Check;
  readonly problem: string;
  readonly fix: string;
}

/** What a look at a set-up found: for each check whether it is fine, and in words what is not. */
export class Findings {
  readonly #known = new Map<Check, boolean>();
  readonly #problems: Problem[] = [];

  get checks(): Partial<Record<Check, boolean>> {
    return Object.fromEntries(
      CHECKS.flatMap((check) => (this.knows(check) ? [[check, this.isFine(check)]] : [])),
    );
  }

  get problems(): readonly Problem[] {
    return this.#problems;
  }

  knows(check: Check): boolean {
    return this.#known.has(check);
  }

  isFine(check: Check): boolean {
    return this.#known.get(check) ?? false;
  }

  fine(check: Check): void {
    if (!this.knows(check)) this.#known.set(check, true);
  }

  wrong(check: Check, problem: string, fix: string): void {
    this.#known.set(check, false);
    this.#problems.push({ check, problem, fix });
  }

  is(check: Check, fine: boolean, { problem, fix }: Omit<Problem, 'check'>): void {
    if (fine) this.fine(check);
    else this.wrong(check, problem, fix);
  }

  /** Not so because of something else, which is told already. */
  missing(...checks: Check[]): void {
    for (const check of checks) if (!this.knows(check)) this.#known.set(check, false);
  }
}
