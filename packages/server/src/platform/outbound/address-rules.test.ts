import { describe, expect, test } from 'vitest';
import { type AddressRules, checkUrl, mayConnect } from './address-rules.ts';
import { CallbackAllow, CallbackAllowError } from './callback-allow.ts';
import { INTERNAL_ADDRESSES, PUBLIC_ADDRESSES } from './testing/address-samples.ts';

function rules(allow: string[] = [], production = false): AddressRules {
  return { production, allow: new CallbackAllow(allow) };
}

function problemOf(url: string, under: AddressRules = rules()): string {
  const verdict = checkUrl(url, under);
  return verdict.ok ? 'accepted' : verdict.problem;
}

const inUrl = (address: string): string => (address.includes(':') ? `[${address}]` : address);

describe('address rules › literal addresses', () => {
  test.each(INTERNAL_ADDRESSES)('refuses %s', (address) => {
    expect(problemOf(`http://${inUrl(address)}/hook`)).toBe('refused_address');
    expect(problemOf(`https://${inUrl(address)}:8443/hook`)).toBe('refused_address');
  });

  test.each(PUBLIC_ADDRESSES)('accepts %s', (address) => {
    expect(problemOf(`https://${inUrl(address)}/hook`)).toBe('accepted');
  });

  test.each([
    ['decimal', 'http://2130706433/', '127.0.0.1'],
    ['octal', 'http://0177.0.0.1/', '127.0.0.1'],
    ['octal, one number', 'http://017700000001/', '127.0.0.1'],
    ['hex', 'http://0x7f000001/', '127.0.0.1'],
    ['hex parts', 'http://0x7f.0x0.0x0.0x1/', '127.0.0.1'],
    ['upper-case hex', 'http://0X7F.1/', '127.0.0.1'],
    ['two parts', 'http://127.1/', '127.0.0.1'],
    ['three parts', 'http://192.168.257/', '192.168.1.1'],
    ['mixed bases', 'http://0xa.0.0.01/', '10.0.0.1'],
    ['decimal of the metadata service', 'http://2852039166/', '169.254.169.254'],
    ['a single zero', 'http://0/', '0.0.0.0'],
    ['trailing dot', 'http://127.0.0.1./', '127.0.0.1'],
    ['hex with trailing dot', 'http://0x7f.1./', '127.0.0.1'],
    ['full-width digits', 'http://１２７.0.0.1/', '127.0.0.1'],
    ['circled digits', 'http://①②⑦.0.0.1/', '127.0.0.1'],
    ['ideographic full stops', 'http://127。0。0。1/', '127.0.0.1'],
    ['percent encoding', 'http://%31%32%37.0.0.1/', '127.0.0.1'],
    ['tabs inside', 'http://127.0.\t0.1/', '127.0.0.1'],
    ['backslashes', 'http:\\\\127.0.0.1\\', '127.0.0.1'],
    ['leading spaces', '  http://127.0.0.1/', '127.0.0.1'],
    ['no slashes', 'http:127.0.0.1', '127.0.0.1'],
  ])('sees through %s', (_name, url, address) => {
    expect(new URL(url).hostname).toBe(address);
    expect(problemOf(url)).toBe('refused_address');
  });
});

describe('address rules › names', () => {
  test.each([
    'http://localhost/',
    'http://LocalHost:8080/',
    'http://localhost./',
    'http://api.localhost/',
    'http://a.b.localhost./',
    'http://ｌocalhost/',
    'http://loc%61lhost/',
    'https://metadata.google.internal/computeMetadata/v1/',
    'https://METADATA.google.internal./',
    'https://metadata.internal/',
  ])('refuses %s', (url) => {
    expect(problemOf(url)).toBe('refused_name');
  });

  test.each([
    'https://hooks.example.com/in',
    'https://hooks.example.com./in',
    'https://localhost.example.com/',
    'https://notlocalhost/',
    'https://metadata.google.internal.example.com/',
    'https://xn--bcher-kva.example/',
  ])('leaves %s to its addresses', (url) => {
    expect(problemOf(url)).toBe('accepted');
  });
});

describe('address rules › form', () => {
  test.each([
    ['no URL', 'hooks.example.com', 'malformed'],
    ['nothing', '', 'malformed'],
    ['no host', 'https://', 'malformed'],
    ['an empty label', 'http://localhost../', 'malformed'],
    ['an empty first label', 'http://.localhost/', 'malformed'],
    ['an impossible address', 'http://256.1.1.1/', 'malformed'],
    ['a zone', 'http://[fe80::1%25eth0]/', 'malformed'],
    ['user and password', 'https://user:pw@hooks.example.com/', 'user_info'],
    ['a user that looks like a host', 'https://hooks.example.com@10.0.0.1/', 'user_info'],
    ['a password alone', 'https://:pw@hooks.example.com/', 'user_info'],
    ['file', 'file:///etc/passwd', 'scheme'],
    ['ftp', 'ftp://hooks.example.com/', 'scheme'],
    ['gopher', 'gopher://hooks.example.com/', 'scheme'],
    ['ws', 'ws://hooks.example.com/', 'scheme'],
    ['data', 'data:text/plain,hi', 'scheme'],
    ['javascript', 'javascript:alert(1)', 'scheme'],
  ])('refuses %s', (_name, url, problem) => {
    expect(problemOf(url)).toBe(problem);
  });

  test('takes http outside production only', () => {
    expect(problemOf('http://hooks.example.com/')).toBe('accepted');
    expect(problemOf('http://hooks.example.com/', rules([], true))).toBe('scheme');
    expect(problemOf('https://hooks.example.com/', rules([], true))).toBe('accepted');
    expect(problemOf('http://127.0.0.1/', rules(['127.0.0.1'], true))).toBe('scheme');
  });
});

describe('address rules › callback_allow', () => {
  test.each([
    ['127.0.0.1', 'http://127.0.0.1:9000/'],
    ['127.0.0.1:9000', 'http://127.0.0.1:9000/'],
    ['127.0.0.1:9000', 'http://0x7f.1:9000/'],
    ['127.0.0.1:80', 'http://127.0.0.1/'],
    ['127.0.0.1:443', 'https://127.0.0.1/'],
    ['localhost:9000', 'http://localhost:9000/'],
    ['LOCALHOST', 'http://localhost./'],
    ['[::1]:9000', 'http://[::1]:9000/'],
    ['::1', 'http://[0:0:0:0:0:0:0:1]/'],
    ['10.0.0.0/8', 'http://10.9.8.7/'],
    ['10.0.0.0/8', 'http://[::ffff:10.9.8.7]/'],
    ['fd00::/8', 'http://[fd12::1]/'],
    ['127.0.0.1/32', 'http://127.0.0.1:1/'],
  ])('%s exempts %s', (entry, url) => {
    expect(problemOf(url, rules([entry]))).toBe('accepted');
  });

  test.each([
    ['127.0.0.1:9000', 'http://127.0.0.1:9001/', 'refused_address'],
    ['127.0.0.1', 'http://127.0.0.2/', 'refused_address'],
    ['127.0.0.0/8', 'http://localhost/', 'refused_name'],
    ['10.0.0.0/16', 'http://10.1.0.1/', 'refused_address'],
    ['10.0.0.0/8', 'http://[2002:a00:1::]/', 'refused_address'],
    ['localhost', 'http://a.localhost/', 'refused_name'],
    ['localhost', 'http://127.0.0.1/', 'refused_address'],
    ['::1', 'http://127.0.0.1/', 'refused_address'],
    ['127.0.0.1', 'http://user@127.0.0.1/', 'user_info'],
  ])('%s does not exempt %s', (entry, url, problem) => {
    expect(problemOf(url, rules([entry]))).toBe(problem);
  });

  test('exempts every address of a named host, on the named port', () => {
    const under = rules(['hooks.internal:8080']);
    expect(mayConnect('10.0.0.7', { host: 'hooks.internal', port: 8080 }, under)).toBe(true);
    expect(mayConnect('10.0.0.7', { host: 'hooks.internal', port: 8081 }, under)).toBe(false);
    expect(mayConnect('10.0.0.7', { host: 'evil.example', port: 8080 }, under)).toBe(false);
  });

  test('joins several ports of one host', () => {
    const under = rules(['127.0.0.1:1', '127.0.0.1:2']);
    expect(problemOf('http://127.0.0.1:1/', under)).toBe('accepted');
    expect(problemOf('http://127.0.0.1:2/', under)).toBe('accepted');
    expect(problemOf('http://127.0.0.1:3/', under)).toBe('refused_address');
  });

  test.each([
    '',
    ' ',
    '*',
    '*.example.com',
    '10.0.0.0/33',
    '10.0.0.0/',
    '::/129',
    'host/8',
    'a:b',
    'h:0',
    'h:70000',
    'http://h/',
    'u@h',
    '1/2/3',
  ])('cannot be %j', (entry) => {
    expect(() => new CallbackAllow([entry])).toThrow(CallbackAllowError);
  });
});
