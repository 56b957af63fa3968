import * as routes from '@parley/protocol/knowledge/routes';
import type { RetrieveAnswer } from '@parley/protocol/knowledge/answers';
import { EXIT } from '../cli-error.ts';
import { printJson } from '../output.ts';
import { showGraph } from './views/graph-view.ts';
import { type MemoryCommandOptions, printView, shown, withCaller } from './server-memory.ts';
import { showBundle } from './views/bundle-view.ts';
import { onlySubject } from './subject.ts';

export interface RetrieveOptions extends MemoryCommandOptions {
  about?: string | undefined;
  with?: string[] | undefined;
  mode?: string | undefined;
  healthy?: string | undefined;
  active?: string | undefined;
  capsules?: number | undefined;
  tokens?: number | undefined;
  type?: string[] | undefined;
  days?: number | undefined;
  limit?: number | undefined;
}

export async function retrieve(words: readonly string[], options: RetrieveOptions): Promise<void> {
  const selectors = options.with?.map((each) => onlySubject([each]));
  const body = {
    task: words.join(' '),
    ...(options.about === undefined ? {} : onlySubject([options.about])),
    continuity_selectors: selectors,
    continuity_mode: options.mode,
    continuity_verification_policy: options.healthy,
    continuity_resilience_policy: options.active,
    continuity_max_capsules: options.capsules ?? usualCapsules(options),
    max_tokens_estimate: options.tokens,
    include_types: options.type,
    time_window_days: options.days,
    limit: options.limit,
  };
  await withCaller(options, (caller) =>
    shown<RetrieveAnswer>(caller, routes.retrieve, { body }, options, (page, { bundle }) =>
      showBundle(page, bundle),
    ),
  );
}

/** Whoever names subjects wants to see them; the server would show the first only. */
function usualCapsules({ about, with: others = [] }: RetrieveOptions): number | undefined {
  const named = others.length + (about === undefined ? 0 : 1);
  return named > 1 ? Math.min(4, named) : undefined;
}

/** What is linked to a thread or a task. */
export async function graph(words: readonly string[], options: MemoryCommandOptions): Promise<void> {
  // The capsule itself is not asked for, so the least of it will do.
  const body = { task: '', ...onlySubject(words), max_tokens_estimate: 256, limit: 1 };
  await withCaller(options, async (caller) => {
    const { bundle } = await caller.call(routes.retrieve, { body });
    const found = bundle.graph_context;
    if (options.json) printJson(found);
    else printView((page) => showGraph(page, found));
    if (found.anchor === null) process.exitCode = EXIT.gone;
  });
}
