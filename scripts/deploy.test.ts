import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { BlockList } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SETTINGS, type SettingName, variableName } from '../packages/server/src/config/settings.ts';
import { readImage } from './deploy/image.ts';
import { at, wordAt, readYaml } from './deploy/plain-yaml.ts';

const folder = join(process.cwd(), 'deploy');
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');

/** What the balancer's own file takes. */
const OF_THE_BALANCER = /^PARLEY_(?:BIND|BALANCE|FRONT|NODE_\d)$/;
/** The tools of PostgreSQL that a release of Debian has. */
const POSTGRES_OF: Readonly<Record<string, number>> = { bookworm: 15, trixie: 17 };

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

  test('the image is not run by root, and has the programs that the server calls', () => {
    expect(read('Dockerfile').split('\n')).toContain('USER 10001:10001');
    const { installed, debian } = readImage();
    expect(installed).toEqual(['git', 'postgresql-client']);
    const [cluster] = readYaml(read('compose.cluster.yaml'));
    const [, postgres] = wordAt(cluster, 'services', 'postgres', 'image').split(':');
    // An older pg_dump refuses a newer server.
    expect(POSTGRES_OF[debian]).toBeGreaterThanOrEqual(Number(postgres));
  });

  test('the cluster of compose has three nodes alike but for their names, and its balancer knows them', () => {
    const [file] = readYaml(read('compose.cluster.yaml'));
    const nodes = ['node1', 'node2', 'node3'];
    const settings = at(file, 'services', 'node1', 'environment') as Record<string, string>;
    for (const node of nodes) {
      const environment = { ...settings, PARLEY_NODE_URL: `http://${node}:7330` };
      const first = at(file, 'services', 'node1') as object;
      expect(at(file, 'services', node)).toEqual({ ...first, environment });
    }
    const balancer = at(file, 'services', 'haproxy', 'environment');
    expect(nodes.map((_, index) => at(balancer, `PARLEY_NODE_${index + 1}`))).toEqual(
      nodes.map((node) => `${node}:7330`),
    );
    const [single] = readYaml(read('compose.yaml'));
    expect(at(single, 'services', 'parley', 'read_only')).toBe('true');
    expect(at(single, 'services', 'parley', 'volumes')).toEqual(['parley-data:/data']);
  });

  test('the nodes of compose believe their balancer and nobody else', () => {
    const [file] = readYaml(read('compose.cluster.yaml'));
    const balancer = wordAt(file, 'services', 'haproxy', 'networks', 'default', 'ipv4_address');
    expect(at(file, 'services', 'node1', 'environment', 'PARLEY_TRUSTED_PROXIES')).toBe(balancer);
    const range = (name: string): BlockList => {
      const [address = '', bits] = wordAt(file, 'networks', 'default', 'ipam', 'config', 0, name).split('/');
      const list = new BlockList();
      list.addSubnet(address, Number(bits));
      return list;
    };
    expect(range('subnet').check(balancer)).toBe(true);
    expect(range('ip_range').check(balancer)).toBe(false);
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
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(at(container, 'image')).toBe(`parley:${version}`);
    expect(at(container, 'imagePullPolicy')).toBe('IfNotPresent');
    const env = at(container, 'env') as readonly { name: string; value?: string }[];
    const valueOf = (wanted: string): string | undefined => env.find(({ name }) => name === wanted)?.value;
    // It serves until the balancer has looked twice, and is given the time to end after that.
    const delay = Number(valueOf('PARLEY_STOP_DELAY_MS'));
    const looks = 2 * Number(at(container, 'readinessProbe', 'periodSeconds'));
    expect(delay).toBeGreaterThan(looks * 1000);
    const grace = Number(at(deployment, 'spec', 'template', 'spec', 'terminationGracePeriodSeconds'));
    expect(grace * 1000).toBeGreaterThan(delay + 5000);
    // One that waits for tables to be made is not killed for it.
    const patience =
      Number(at(container, 'startupProbe', 'periodSeconds')) *
      Number(at(container, 'startupProbe', 'failureThreshold'));
    expect(patience).toBeGreaterThanOrEqual(1800);
  });

  test('the policy of Kubernetes lets in the ingress, and out to what a node needs', () => {
    const policy = readYaml(read('kubernetes/parley.yaml'))[3];
    expect(at(policy, 'spec', 'ingress')).toMatchObject([{ from: [{ namespaceSelector: {} }] }]);
    const out = at(policy, 'spec', 'egress', 0, 'ports') as readonly { port: string }[];
    expect(new Set(out.map(({ port }) => port))).toEqual(
      new Set(['53', '5432', '6432', '6379', '26379', '443', '80']),
    );
  });

  test('the unit of systemd starts a program that is there', () => {
    const unit = read('systemd/parley.service');
    const program = /^ExecStart=\/usr\/bin\/node \/opt\/parley\/(\S+) serve$/m.exec(unit)?.[1] ?? 'nothing';
    expect(existsSync(join(process.cwd(), program))).toBe(true);
  });

  const unchecked = spawnSync('systemd-analyze', ['--version']).error;
  const looked = 'systemd finds nothing wrong with its unit';
  test.skipIf(unchecked)(unchecked ? `${looked} (not available: ${unchecked.message})` : looked, () => {
    const unit = read('systemd/parley.service');
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
