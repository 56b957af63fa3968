import * as routes from '@parley/protocol/help/routes';
import { HOOK_IDS } from '@parley/protocol/continuity/hook-points';
import { errorCodes, errorPage, NAMED_ERRORS } from './error-pages.ts';
import type { HelpPage } from './help-page.ts';
import { hookPage } from './hook-page.ts';
import { limitPage, limitPaths, limitsIndex } from './limits.ts';
import { bootstrapPage, onboardingIndex, sectionIds, sectionPage } from './onboarding.ts';
import { toolNames, toolPage } from './tool-pages.ts';
import { topicNames, topicPage } from './topic-pages.ts';

const alone = (route: HelpPage['route'], page: () => object): HelpPage => ({
  route,
  noun: 'page',
  known: () => [],
  page,
});

const index = (): object => ({
  http_endpoints: routes.HELP_ROUTES.map(({ method, path }) => `${method} ${path}`),
  mcp_methods: routes.HELP_ROUTES.map(({ name }) => name),
  tool_topics: toolNames(),
  non_tool_topics: topicNames(),
  hook_ids: HOOK_IDS,
  errors: NAMED_ERRORS,
});

/** All of the help. */
export const HELP_PAGES: readonly HelpPage[] = [
  alone(routes.helpIndex, index),
  { route: routes.helpTool, noun: 'tool', argument: 'name', known: toolNames, page: toolPage },
  { route: routes.helpTopic, noun: 'topic', argument: 'id', known: topicNames, page: topicPage },
  alone(routes.helpHooks, hookPage),
  { route: routes.helpError, noun: 'error code', argument: 'code', known: errorCodes, page: errorPage },
  alone(routes.helpOnboarding, onboardingIndex),
  alone(routes.helpBootstrap, bootstrapPage),
  {
    route: routes.helpSection,
    noun: 'onboarding section',
    argument: 'id',
    known: sectionIds,
    page: sectionPage,
  },
  alone(routes.helpLimits, limitsIndex),
  {
    route: routes.helpLimit,
    noun: 'validation limit',
    argument: 'field_path',
    known: limitPaths,
    page: limitPage,
  },
];

/** Each route of the help has one. */
export function helpPageNamed(name: string): HelpPage {
  const page = HELP_PAGES.find(({ route }) => route.name === name);
  if (!page) throw new TypeError(`the help has no page for ${name}`);
  return page;
}
