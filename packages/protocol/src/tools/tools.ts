import { CONTINUITY_TOOLS } from './continuity-tools.ts';
import { COORDINATION_TOOLS, PEER_TOOLS, SCHEDULE_TOOLS } from './coordination-tools.ts';
import { CUE_TOOLS, EXECUTION_TOOLS } from './cue-tools.ts';
import { AGENT_TOOLS, MESSAGE_TOOLS } from './delivery-tools.ts';
import { HELP_TOOLS } from './help-tools.ts';
import { CONTEXT_TOOLS, DOCUMENT_TOOLS, SEARCH_TOOLS, TASK_TOOLS } from './memory-tools.ts';
import { ROOM_TOOLS } from './room-tools.ts';
import { SYSTEM_TOOLS } from './system-tools.ts';
import type { ToolDeclaration, ToolGroup } from './tool.ts';

/** Every tool there is, in the order in which all lists show them. */
export const TOOLS: readonly ToolDeclaration[] = [
  ...SYSTEM_TOOLS,
  ...DOCUMENT_TOOLS,
  ...SEARCH_TOOLS,
  ...CONTEXT_TOOLS,
  ...CONTINUITY_TOOLS,
  ...SCHEDULE_TOOLS,
  ...COORDINATION_TOOLS,
  ...PEER_TOOLS,
  ...TASK_TOOLS,
  ...HELP_TOOLS,
  ...AGENT_TOOLS,
  ...MESSAGE_TOOLS,
  ...ROOM_TOOLS,
  ...CUE_TOOLS,
  ...EXECUTION_TOOLS,
];

const BY_NAME = new Map(TOOLS.map((tool) => [tool.name, tool]));

export const toolNamed = (name: string): ToolDeclaration | undefined => BY_NAME.get(name);

/** Those of the groups, each once, in the order of all. */
export function toolsOf(groups: readonly ToolGroup[]): readonly ToolDeclaration[] {
  const isIn = ({ group, isDefault }: ToolDeclaration): boolean =>
    groups.includes(group) || (isDefault === true && groups.includes('default'));
  return groups.includes('all') ? TOOLS : TOOLS.filter(isIn);
}
