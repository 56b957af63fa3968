import { describe, expect, test } from 'vitest';
import { CallbackAllow } from './callback-allow.ts';
import { checkStoredUrl } from './stored-url.ts';

const names: Record<string, string[]> = {
  'public.example': ['203.0.113.9', '2001:db8::9'],
  'mixed.example': ['203.0.113.9', '10.0.0.1'],
  'private.example': ['fd00::1'],
};

function check(url: string, { production = false, allow = [] as string[] } = {}) {
  return checkStoredUrl(url, { production, allow: new CallbackAllow(allow) }, async (name) => {
    const found = names[name];
    if (!found) throw new Error('no such name');
    return found;
  });
}

describe('stored URL', () => {
  test('is accepted when every address of its name is public', async () => {
    expect(await check('https://public.example./in')).toMatchObject({
      ok: true,
      target: { host: 'public.example' },
    });
  });

  test.each(['https://mixed.example/', 'https://private.example/', 'https://10.0.0.1/'])(
    'is refused when one is not: %s',
    async (url) => {
      expect(await check(url)).toMatchObject({ ok: false, problem: 'refused_address' });
    },
  );

  test('is accepted with a warning when its name does not resolve, but not in production', async () => {
    const verdict = await check('https://nowhere.example/');
    expect(verdict).toMatchObject({ ok: true, warning: 'hostname did not resolve' });
    expect(await check('https://nowhere.example/', { production: true })).toMatchObject({
      ok: false,
      problem: 'unresolved',
    });
  });

  test('carries no warning otherwise', async () => {
    expect(await check('https://public.example/')).not.toHaveProperty('warning');
  });

  test('follows the exemptions of the operator', async () => {
    expect(await check('https://private.example/', { allow: ['private.example'] })).toMatchObject({
      ok: true,
    });
    expect(await check('https://mixed.example/', { allow: ['10.0.0.0/24'] })).toMatchObject({ ok: true });
  });
});
