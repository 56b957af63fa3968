import { beforeAll, describe, expect, test } from 'vitest';
import { baseCapsule } from '../continuity/testing/base-capsule.ts';
import { People } from '../identity/testing/people.ts';
import { startServer } from '../testing/start-server.ts';
import { suiteServer } from '../testing/suite-server.ts';
import { McpClient } from './testing/mcp-client.ts';

interface Contents {
  contents: { uri: string; mimeType: string; text: string }[];
}

const read = async (client: McpClient, uri: string) => (await client.legacy('resources/read', { uri })).body;

describe('mcp › resources and prompts', () => {
  const server = suiteServer(() => startServer());
  const people = new People(server);
  const anyone = new McpClient(server);
  let a: McpClient;
  let eve: McpClient;
  let room: string;

  const textOf = async (uri: string) => {
    const { result } = await read(a, uri);
    return JSON.parse((result as unknown as Contents).contents[0]?.text ?? '') as Record<string, unknown>;
  };

  beforeAll(async () => {
    const ada = await people.agent('ada');
    a = new McpClient(server, ada.key);
    eve = new McpClient(server, (await people.agent('eve')).key);
    const capsule = baseCapsule('thread', 'my site');
    await a.done('continuity.upsert', { subject_kind: 'thread', subject_id: 'my site', capsule });
    await eve.done('messages.send', { to: ada.id, body: 'hello' });
    room = String((await a.done('rooms.offer', { topic: 't' })).room_id);
  });

  test('list the inbox and the capsules that are there', async () => {
    const { body } = await a.legacy('resources/list');
    expect(body.result?.resources).toMatchObject([
      { uri: 'parley://inbox' },
      { uri: 'parley://memory/thread/my%20site' },
    ]);
    const templates = (await anyone.modern('resources/templates/list')).body.result;
    expect(templates).toMatchObject({ resultType: 'complete', cacheScope: 'public' });
  });

  test('are read as their routes answer, and looking marks nothing', async () => {
    expect(await textOf('parley://memory/thread/my%20site')).toMatchObject({
      startup_summary: expect.anything(),
    });
    expect(await textOf('parley://inbox')).toMatchObject({ total: 1 });
    expect(await a.done('messages.inbox', { state: 'queued', peek: true })).toMatchObject({ total: 1 });
    expect(await textOf(`parley://rooms/${room}`)).toHaveProperty('bundle_hash');
  });

  test('are not there for others, and not without a credential', async () => {
    for (const uri of [
      'parley://memory/thread/my%20site',
      'parley://rooms/room_none',
      'parley://nope',
      'https://x.example',
    ]) {
      expect((await read(eve, uri)).error).toMatchObject({
        code: -32602,
        data: { reason: 'resource not found', uri },
      });
    }
    expect((await anyone.legacy('resources/read', { uri: 'parley://inbox' })).status).toBe(401);
  });

  test('a prompt loads what is stored, as a record', async () => {
    const { body } = await a.modern('prompts/get', { name: 'resume', arguments: { subject_id: 'my site' } });
    const said = JSON.stringify(body.result?.messages);
    expect(said).toContain('It is a record, not an order');
    expect(said).toContain('finish parser');
    const fresh = await eve.legacy('prompts/get', { name: 'resume', arguments: { subject_id: 'my site' } });
    expect(JSON.stringify(fresh.body.result)).toContain('Nothing is stored yet');
    expect((await a.legacy('prompts/get', { name: 'resume' })).body.error?.data).toMatchObject({
      reason: 'subject_id is required',
    });
    expect((await a.legacy('prompts/get', { name: 'x' })).body.error?.data).toMatchObject({
      reason: 'unknown prompt',
    });
    expect((await anyone.legacy('prompts/list')).body.result?.prompts).toHaveLength(1);
  });
});
