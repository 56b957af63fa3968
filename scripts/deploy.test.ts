import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SETTINGS, type SettingName, variableName } from '../packages/server/src/config/settings.ts';
import { freePort } from '../packages/server/src/testing/free-port.ts';
import { readYaml, type Yaml } from './deploy/plain-yaml.ts';

const folder = join(process.cwd(), 'deploy');
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
const at = (value: Yaml | undefined, ...path: readonly (string | number)[]): Yaml | undefined =>
  path.reduce<Yaml | undefined>(
    (inner, key) => (inner as Record<string | number, Yaml> | null | undefined)?.[key],
    value,
  );

/** What the balancer's own file takes. */
const OF_THE_BALANCER = /^PARLEY_(?:BIND|BALANCE|FRONT|NODE_\d)$/;

describe('deploy/', () => {
  test('names no setting that there is not', () => {
    const known = new Set(Object.keys(SETTINGS).map((name) => variableName(name as SettingName)));
    for (const name of [
      'Dockerfile',
      'compose.yaml',
      'compose.cluster.yaml',
      'kubernetes/parley.yaml',
      'systemd/parley.service',
      'haproxy.cfg',
    ]) {
      const used = new Set(read(name).match(/PARLEY_[A-Z_0-9]+/g));
      const unknown = [...used].filter((each) => !known.has(each) && !OF_THE_BALANCER.test(each));
      expect(unknown, name).toEqual([]);
    }
  });

  test('the container starts with what it says, is found healthy, and ends when asked', async () => {
    const lines = read('Dockerfile').replaceAll('\\\n', '').split('\n');
    const json = (word: string): string[] => {
      const line = lines.findLast((each) => each.startsWith(`${word} `)) ?? '';
      return JSON.parse(line.slice(line.indexOf('['))) as string[];
    };
    expect(lines).toContain('USER 10001:10001');
    for (const [, from = ''] of read('Dockerfile').matchAll(/^COPY --from=build \/app\/(\S+) /gm)) {
      expect(existsSync(join(process.cwd(), from)), from).toBe(true);
    }
    const env = Object.fromEntries(
      (lines.find((line) => line.startsWith('ENV ')) ?? '')
        .slice(4)
        .split(' ')
        .map((pair) => pair.split('=')),
    ) as Record<string, string>;
    const dataDir = mkdtempSync(join(tmpdir(), 'parley-deploy-'));
    const here = { ...env, PARLEY_DATA_DIR: dataDir, PARLEY_PORT: String(await freePort()) };
    const [program = '', ...words] = [...json('ENTRYPOINT'), ...json('CMD')];
    const child = spawn(program, words, { env: { ...process.env, ...here }, stdio: 'ignore' });
    const ended = once(child, 'exit');
    try {
      const [check = '', ...how] = json('HEALTHCHECK');
      const healthy = () => spawnSync(check, how, { env: { ...process.env, ...here } }).status;
      await expect.poll(healthy).toBe(0);
      const ready = await fetch(`http://127.0.0.1:${here.PARLEY_PORT}/ready`);
      expect(ready.status).toBe(200);
      child.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
      expect(spawnSync(check, how, { env: { ...process.env, ...here } }).status).toBe(1);
    } finally {
      child.kill('SIGKILL');
      rmSync(dataDir, { recursive: true, force: true });
    }
  });

  test('the cluster of compose has three nodes alike, and its balancer knows them', () => {
    const [file] = readYaml(read('compose.cluster.yaml'));
    const nodes = ['node1', 'node2', 'node3'];
    for (const node of nodes) {
      expect(at(file, 'services', node)).toEqual(at(file, 'services', 'node1'));
      expect(at(file, 'services', node, 'environment', 'PARLEY_REDIS_URL')).toBe('redis://redis:6379');
    }
    const balancer = at(file, 'services', 'haproxy', 'environment');
    expect(nodes.map((_, index) => at(balancer, `PARLEY_NODE_${index + 1}`))).toEqual(
      nodes.map((node) => `${node}:7330`),
    );
    expect(at(file, 'services', 'redis', 'command')).toEqual([
      'redis-server',
      '--save',
      '',
      '--appendonly',
      'no',
    ]);
    const [single] = readYaml(read('compose.yaml'));
    expect(at(single, 'services', 'parley', 'read_only')).toBe('true');
    expect(at(single, 'services', 'parley', 'volumes')).toEqual(['parley-data:/data']);
  });

  test('the manifests of Kubernetes fit each other', () => {
    const documents = readYaml(read('kubernetes/parley.yaml'));
    const kinds = documents.map((each) => at(each, 'kind'));
    expect(kinds).toEqual(['Deployment', 'Service', 'PodDisruptionBudget', 'NetworkPolicy']);
    const [deployment, service, budget, policy] = documents;
    const labels = at(deployment, 'spec', 'template', 'metadata', 'labels');
    expect([
      at(deployment, 'spec', 'selector', 'matchLabels'),
      at(service, 'spec', 'selector'),
      at(budget, 'spec', 'selector', 'matchLabels'),
      at(policy, 'spec', 'podSelector', 'matchLabels'),
    ]).toEqual([labels, labels, labels, labels]);
    const container = at(deployment, 'spec', 'template', 'spec', 'containers', 0);
    expect(at(container, 'readinessProbe', 'httpGet', 'path')).toBe('/ready');
    expect(at(container, 'livenessProbe', 'httpGet', 'path')).toBe('/health');
    expect(at(container, 'securityContext', 'readOnlyRootFilesystem')).toBe('true');
    // It serves until the balancer has looked twice, and is given the time to end after that.
    const delay = Number(at(container, 'env', 2, 'value'));
    const looks = 2 * Number(at(container, 'readinessProbe', 'periodSeconds'));
    expect(delay).toBeGreaterThan(looks * 1000);
    const grace = Number(at(deployment, 'spec', 'template', 'spec', 'terminationGracePeriodSeconds'));
    expect(grace * 1000).toBeGreaterThan(delay + 5000);
  });

  test('the unit of systemd runs what there is', () => {
    const unit = read('systemd/parley.service');
    const program = /^ExecStart=\/usr\/bin\/node \/opt\/parley\/(\S+) serve$/m.exec(unit)?.[1] ?? 'nothing';
    expect(existsSync(join(process.cwd(), program))).toBe(true);
    const verify = spawnSync('systemd-analyze', ['--version']);
    if (verify.error) return;
    const copy = mkdtempSync(join(tmpdir(), 'parley-unit-'));
    const file = join(copy, 'parley.service');
    writeFileSync(file, unit.replaceAll('/usr/bin/node', process.execPath));
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], {
      encoding: 'utf8',
    });
    rmSync(copy, { recursive: true });
    const about = stderr.split('\n').filter((line) => line.includes('parley.service'));
    expect({ status, about }).toEqual({ status: 0, about: [] });
  });
});
