import { z } from 'zod';
import { declareRoute } from '../route.ts';

/* Help for agents: what a tool takes, what a limit is, what to do first. Nobody needs a token for it. */

const texts = z.array(z.string());
const anything = z.record(z.string(), z.unknown());

const help = (name: string, path: string, summary: string, answer: z.ZodType) =>
  declareRoute({ name, method: 'GET', path: `/v1/help${path}`, auth: 'none', summary, success: 200, answer });

const operations = {
  read_operations: texts,
  write_operations: texts,
  minimal_payload: anything,
};

const advice = {
  kind: z.string(),
  id: z.string(),
  purpose: z.string(),
  when_to_use: z.string(),
  common_mistakes: texts,
  correction_hints: texts,
};

export const helpIndex = help(
  'system.help',
  '',
  'What there is help on.',
  z.object({
    http_endpoints: texts,
    mcp_methods: texts,
    tool_topics: texts,
    non_tool_topics: texts,
    hook_ids: texts,
    errors: texts,
  }),
);

export const helpTool = help(
  'system.tool_usage',
  '/tools/{name}',
  'How a tool is used, with the least that it takes.',
  z.object({ ...advice, ...operations }),
);

export const helpTopic = help(
  'system.topic_help',
  '/topics/{id}',
  'A topic that is larger than one tool.',
  z.object({ ...advice, ...operations }),
);

export const helpHooks = help(
  'system.hook_guide',
  '/hooks',
  'At which points a runtime reads and writes memory.',
  z.object({
    kind: z.string(),
    hooks: z.array(anything),
    write_eligible_fields: texts,
    snapshot_fields: texts,
    rules: texts,
  }),
);

export const helpError = help(
  'system.error_guide',
  '/errors/{code}',
  'What an error means and what to do.',
  z.object(advice),
);

export const helpOnboarding = help(
  'system.onboarding_index',
  '/onboarding',
  'What an agent should read, in which order.',
  z.object({ kind: z.string(), recommended_first_section: z.string(), sections: z.array(anything) }),
);

export const helpBootstrap = help(
  'system.onboarding_bootstrap',
  '/onboarding/bootstrap',
  'The first calls of a session.',
  z.object({
    kind: z.string(),
    startup_route: anything,
    retrieval_route: anything,
    help_routes: anything,
    discover_more: texts,
    next_sections: texts,
    warnings: texts,
  }),
);

export const helpSection = help(
  'system.onboarding_section',
  '/onboarding/sections/{id}',
  'One section of it.',
  z.object({
    kind: z.string(),
    id: z.string(),
    title: z.string(),
    format: z.string(),
    body_md: z.string(),
    bullets: texts,
    related_http: texts,
    related_mcp: texts,
  }),
);

export const helpLimits = help(
  'system.validation_limits',
  '/limits',
  'Every field whose length, number or range is bounded.',
  z.object({ kind: z.string(), groups: z.array(anything), field_paths: texts }),
);

export const helpLimit = help(
  'system.validation_limit',
  '/limits/{field_path}',
  'The bounds of one field.',
  z.object({ kind: z.string(), limit: anything }),
);

export const HELP_ROUTES = [
  helpIndex,
  helpTool,
  helpTopic,
  helpHooks,
  helpError,
  helpOnboarding,
  helpBootstrap,
  helpSection,
  helpLimits,
  helpLimit,
] as const;
