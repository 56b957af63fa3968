import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const PROGRAM = fileURLToPath(new URL('official-client.mjs', import.meta.url));

export interface OfficialCall {
  readonly library: 'older' | 'newer';
  readonly mode?: 'legacy' | 'modern';
  readonly url?: string;
  readonly stdio?: { readonly command: string; readonly args: readonly string[] };
  readonly calls: readonly { readonly name: string; readonly arguments: object }[];
}

export interface OfficialAnswer {
  readonly tools: readonly string[];
  readonly resources: readonly string[];
  readonly prompts: readonly string[];
  readonly results: readonly { readonly isError?: boolean; readonly structuredContent?: unknown }[];
}

/** What an official client library makes of a server. */
export async function official(
  call: OfficialCall,
  env: Readonly<Record<string, string>>,
): Promise<OfficialAnswer> {
  const { PATH = '' } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, JSON.stringify(call)], {
    env: { PATH, ...env },
  });
  return JSON.parse(stdout) as OfficialAnswer;
}
