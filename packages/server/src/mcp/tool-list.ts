import type { ListedTool } from '@parley/protocol/tools/listing';
import { listedTool } from '@parley/protocol/tools/listing';
import { TOOL_GROUPS, type ToolGroup } from '@parley/protocol/tools/tool';
import { toolsOf } from '@parley/protocol/tools/tools';
import { invalidParams } from './rpc-error.ts';

/** The header by which a client says which groups of tools it wants to see. */
export const TOOLS_HEADER = 'parley-tools';

const made = new Map<string, readonly ListedTool[]>();

/** Made once for each choice; there are few, since every one of them comes down to known groups in one order. */
export function listedTools(groups: readonly ToolGroup[]): readonly ListedTool[] {
  const key = TOOL_GROUPS.filter((group) => groups.includes(group)).join();
  const known = made.get(key);
  if (known) return known;
  const tools = toolsOf(groups).map(listedTool);
  made.set(key, tools);
  return tools;
}

const isGroup = (word: string): word is ToolGroup => TOOL_GROUPS.some((group) => group === word);

/** From the header, if there is one. */
export function groupsFrom(header: string | string[] | undefined): readonly ToolGroup[] | undefined {
  if (header === undefined) return undefined;
  const words = String(header)
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  if (words.length > 0 && words.every(isGroup)) return words;
  throw invalidParams('unknown tool group', { header: 'Parley-Tools', allowed: TOOL_GROUPS });
}
