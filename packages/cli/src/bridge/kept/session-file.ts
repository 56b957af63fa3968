import { wrongConfiguration } from '../failures.ts';
import { isFileId, readJsonObject, removeFile, writePrivateJson } from './private-json.ts';

export interface AgentSession {
  readonly api_key: string;
  readonly session_token: string;
  readonly agent_id: string;
  readonly updated_at: string;
}

/** Undefined when nobody has logged in. */
export function readSession(path: string): AgentSession | undefined {
  const stored = readJsonObject(path);
  if (!stored) return undefined;
  const { api_key: key, session_token: token, agent_id: agent, updated_at: updated } = stored;
  if (typeof key !== 'string' || key === '') {
    throw wrongConfiguration(`${path} holds no API key`, 'log in again: aya login');
  }
  return {
    api_key: key,
    session_token: typeof token === 'string' ? token : '',
    agent_id: isFileId(agent) ? agent : '',
    updated_at: typeof updated === 'string' ? updated : '',
  };
}

export function writeSession(path: string, session: AgentSession): void {
  writePrivateJson(path, session);
}

export function forgetSession(path: string): void {
  removeFile(path);
}
