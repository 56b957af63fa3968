import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../testing/free-port.ts';
import { missingRedis, startRedis } from '../../../testing/redis.ts';

/** Why a Redis that speaks TLS cannot be had; undefined when it can. */
export const missingTlsRedis = (): string | undefined =>
  missingRedis() ?? (spawnSync('openssl', ['version']).status === 0 ? undefined : 'no openssl');

export interface TestTlsRedis {
  /** With the certificate to believe, and without. */
  readonly url: string;
  readonly unproven: string;
  stop(): Promise<void>;
}

/** A Redis that is spoken to by TLS. */
export async function startTlsRedis(): Promise<TestTlsRedis> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-redis-tls-'));
  const secured = certificate(folder);
  const port = await freePort();
  const options = ['tls-port', String(port), ...secured.settings];
  const server = await startRedis(options.map((word, at) => (at % 2 === 0 ? `--${word}` : word)));
  const unproven = `rediss://127.0.0.1:${port}`;
  return {
    url: `${unproven}?ca=${secured.certificate}`,
    unproven,
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** One that has signed itself, and what a Redis is told of it. */
export function certificate(folder: string): { certificate: string; settings: string[] } {
  const [key, crt] = [join(folder, 'key'), join(folder, 'crt')];
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', crt];
  const { status, stderr } = spawnSync('openssl', [...made, ...subject], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`openssl made no certificate: ${stderr}`);
  const files = ['tls-cert-file', crt, 'tls-key-file', key, 'tls-ca-cert-file', crt];
  return { certificate: crt, settings: [...files, 'tls-auth-clients', 'no', 'tls-replication', 'yes'] };
}
