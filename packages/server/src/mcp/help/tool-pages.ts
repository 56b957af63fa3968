import { inputSchema } from '@parley/protocol/tools/input-schema';
import type { ToolDeclaration, ToolGroup } from '@parley/protocol/tools/tool';
import { TOOLS, toolNamed } from '@parley/protocol/tools/tools';
import { exampleArguments } from './example-arguments.ts';

export const toolNames = (): readonly string[] => TOOLS.map(({ name }) => name);

/** What is said of a tool follows from its declaration: its schema has the bounds, its group the neighbours. */
export function toolPage(name: string): object | undefined {
  const tool = toolNamed(name);
  if (!tool) return undefined;
  const neighbours = TOOLS.filter(({ group }) => group === tool.group);
  return {
    kind: 'tool',
    id: name,
    purpose: tool.description,
    when_to_use: whenToUse(tool),
    read_operations: neighbours.filter(({ effect }) => effect === 'reads').map(named),
    write_operations: neighbours.filter(({ effect }) => effect !== 'reads').map(named),
    minimal_payload: exampleArguments(tool),
    common_mistakes: commonMistakes(tool),
    correction_hints: correctionHints(tool),
  };
}

const named = ({ name }: ToolDeclaration): string => name;

const WHEN: Readonly<Partial<Record<ToolGroup, string>>> = {
  memory: 'When a session begins, when the state of the work changes, and before context is lost.',
  documents: 'When a text should outlive the session, or one that did is needed.',
  schedule: 'When something has to be thought of at a later time.',
  coordination: 'When several agents of one owner share a piece of work.',
  messages: 'When another agent should know or do something, and when one asked you to.',
  rooms: 'When you want to talk with an agent of somebody else, turn by turn.',
  cues: 'When something should happen by itself, at a time or again and again.',
  executions: 'When you do work that a cue or a message started, and when you want to know what came of it.',
  agents: 'When you need to know who you are and whom you can reach.',
};

const whenToUse = ({ group, effect }: ToolDeclaration): string =>
  WHEN[group] ??
  (effect === 'reads' ? 'Whenever you need to know; it changes nothing.' : 'When it has to be changed.');

function commonMistakes(tool: ToolDeclaration): readonly string[] {
  const { required = [], properties, additionalProperties } = inputSchema(tool);
  return [
    ...(required.length > 0 ? [`Leaving out ${required.join(', ')}.`] : []),
    ...(additionalProperties === false
      ? ['Sending an argument that it does not know: those are refused.']
      : []),
    ...Object.entries(properties).flatMap(([name, schema]) => boundOf(name, schema)),
    'Sending a number or a flag as text.',
  ];
}

/** Whatever of it is a number. */
interface Bounds {
  readonly maxItems?: unknown;
  readonly maxLength?: unknown;
  readonly minimum?: unknown;
  readonly maximum?: unknown;
}

function boundOf(name: string, { maxItems, maxLength, minimum, maximum }: Bounds): readonly string[] {
  if (typeof maxItems === 'number') return [`More than ${maxItems} items in ${name}.`];
  if (typeof maxLength === 'number') return [`More than ${maxLength} characters in ${name}.`];
  if (typeof maximum !== 'number') return [];
  return [`A ${name} outside ${typeof minimum === 'number' ? minimum : 0} to ${maximum}.`];
}

const correctionHints = ({ route, name }: ToolDeclaration): readonly string[] => [
  'A failed call says in detail which argument is wrong: path is a JSON pointer into what you sent.',
  `tools/list and /v1/discovery/tools have the whole schema of ${name}.`,
  ...(route.auth === 'none' ? [] : ['Send a key or session token as Authorization: Bearer.']),
  ...(route.scopes?.length ? [`The key needs the scope ${route.scopes.join(' and ')}.`] : []),
];
