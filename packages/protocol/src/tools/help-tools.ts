import * as help from '../help/routes.ts';
import type { RouteDeclaration } from '../route.ts';
import type { ToolDeclaration } from './tool.ts';

const tool = (route: RouteDeclaration, title: string, description: string): ToolDeclaration => ({
  name: route.name,
  title,
  description,
  route,
  group: 'help',
  effect: 'reads',
});

/** The help as tools: a model that gets stuck can ask. */
export const HELP_TOOLS: readonly ToolDeclaration[] = [
  tool(help.helpIndex, 'Help', 'What there is help on: tools, topics, hooks, errors.'),
  tool(
    help.helpTool,
    'How to use a tool',
    'What one tool is for, the least that it takes, and common mistakes with it.',
  ),
  tool(
    help.helpTopic,
    'A topic',
    'A topic that is larger than one tool, such as continuity.read.startup_view.',
  ),
  tool(help.helpHooks, 'Hooks', 'At which points of a session memory should be read and written.'),
  {
    ...tool(
      help.helpError,
      'What an error means',
      'What an error means and what to do: validation, tool_not_found, unknown_help_topic or a JSON-RPC code.',
    ),
    // Codes of JSON-RPC are numbers, and so they are to the method of this name.
    shapes: { code: { type: ['string', 'integer'], minLength: 1 } },
  },
  tool(help.helpOnboarding, 'Where to begin', 'What an agent that is new here should read, in which order.'),
  tool(help.helpBootstrap, 'First calls', 'The first calls of a session: how to load what was stored.'),
  tool(help.helpSection, 'A section of the introduction', 'One section of the introduction, by its id.'),
  tool(help.helpLimits, 'Limits', 'Every field whose length, number or range is bounded, in groups.'),
  tool(
    help.helpLimit,
    'One limit',
    'The bounds of one field, by the path that system.validation_limits names.',
  ),
];
