import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { assertInlineSafe, contentSecurityPolicy, inlineParts, pageHashes, sourceHash } from './csp.ts';

describe('page policy › inline parts', () => {
  test('are what stands between the tags, to the character', () => {
    const html = '<!doctype html><head><style>a>b{}</style></head><body><script>\n1<2;\n</script></body>';
    expect(inlineParts(html)).toEqual({ scripts: ['\n1<2;\n'], styles: ['a>b{}'] });
  });

  test.each([
    ['a comment', '<!-- <script>no</script> --><script>yes</script>'],
    ['an abrupt comment', '<!--><script>yes</script>'],
    ['a comment closed with a bang', '<!-- <script>no --!><script>yes</script>'],
    ['an attribute value', '<p title="<script>no</script>"><script>yes</script>'],
    ['an attribute value in single quotes', "<p title='>\"<script>no</script>'><script>yes</script>"],
    ['a title', '<title><script>no</script></title><script>yes</script>'],
    ['a text area', '<textarea><script>no</script></textarea><script>yes</script>'],
    ['the style', '<style>/* <script>no</script> */</style><script>yes</script>'],
    ['upper case and attributes', '<SCRIPT type=module data-a="b>c">yes</SCRIPT >'],
  ])('are not fooled by %s', (_, html) => {
    expect(inlineParts(html).scripts).toEqual(['yes']);
  });

  test('refuse what a parser could read differently', () => {
    expect(() => assertInlineSafe('script', 'a = "</SCRIPT>"')).toThrow('end tag');
    expect(() => assertInlineSafe('script', 'a = "<!--"')).toThrow('comment');
    expect(() => assertInlineSafe('style', 'a{}\r\n')).toThrow('CR');
    expect(() => assertInlineSafe('script', 'a < b')).not.toThrow();
  });
});

describe('page policy › hashes', () => {
  test('are SHA-256 of the content in base64', async () => {
    const expected = createHash('sha256').update('alert("é")').digest('base64');
    expect(await sourceHash('alert("é")')).toBe(`sha256-${expected}`);
  });

  test('are null for what a page does not have', async () => {
    expect(await pageHashes('<p>hello')).toEqual({ scriptHash: null, styleHash: null });
  });

  test('are refused for a page with a second script', async () => {
    await expect(pageHashes('<script>1</script><script>2</script>')).rejects.toThrow('at most one script');
  });

  test('let a page send its form to this server, or show its icon, and nothing from elsewhere', () => {
    const hashes = { scriptHash: null, styleHash: 'sha256-b' };
    expect(contentSecurityPolicy(hashes, { forms: true, images: true })).toBe(
      "default-src 'none'; script-src 'none'; style-src 'sha256-b'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    );
  });

  test('make a policy that allows them and nothing else', () => {
    expect(contentSecurityPolicy({ scriptHash: 'sha256-a', styleHash: null })).toBe(
      "default-src 'none'; script-src 'sha256-a'; style-src 'none'; connect-src 'self'; img-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
  });
});
