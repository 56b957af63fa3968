import { describe, expect, test } from 'vitest';
import { parseAgentAddress } from './agent-address.ts';
import { agentId, parseAgentId } from './agent-id.ts';

describe('agent id', () => {
  test('has two spellings and one suffix', () => {
    const suffix = 'a1b2c3d4e5f6';
    expect(agentId.rooms(suffix)).toBe('agt_a1b2c3d4e5f6');
    expect(agentId.delivery(suffix)).toBe('agent_a1b2c3d4e5f6');
    for (const spelled of [agentId.rooms(suffix), ` ${agentId.delivery(suffix)}\n`]) {
      expect(parseAgentId(spelled)).toBe(suffix);
    }
  });

  test.each([
    '',
    'a1b2c3d4e5f6',
    'agt_a1b2c3d4e5f',
    'agt_a1b2c3d4e5f66',
    'AGT_a1b2c3d4e5f6',
    'agt_A1b2c3d4e5f6',
    'agents_a1b2c3d4e5f6',
  ])('is not %j', (text) => {
    expect(parseAgentId(text)).toBeUndefined();
  });
});

describe('agent address', () => {
  test.each([
    ['agent_a1b2c3d4e5f6', { form: 'id', suffix: 'a1b2c3d4e5f6' }],
    ['agt_a1b2c3d4e5f6', { form: 'id', suffix: 'a1b2c3d4e5f6' }],
    [' Cue-Mac-App@Max ', { form: 'slug', slug: 'cue-mac-app', owner: 'max' }],
    ['Scout', { form: 'slug', slug: 'scout', owner: undefined }],
    ['x', { form: 'slug', slug: 'x', owner: undefined }],
  ])('%j', (text, address) => {
    expect(parseAgentAddress(text)).toEqual(address);
  });

  test.each([
    '',
    ' ',
    '@',
    'a@',
    '@b',
    'a@b@c',
    'two words',
    '-x',
    'x-',
    'agent_a1b2c3d4e5f',
    'ä',
    'x'.repeat(65),
  ])('%j is none', (text) => {
    expect(parseAgentAddress(text)).toBeUndefined();
  });
});
