import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request, Agent } from 'node:http';
import { loadConfig } from '../../config/load.ts';
import { startParley } from '../../server.ts';
import { createLog } from '../../platform/log.ts';
import { richCapsule } from '../../continuity/testing/rich-capsule.ts';
import { openDatabase } from '../../platform/database/open-database.ts';
import { sql } from '../../platform/database/sql.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'perf-'));
const { config } = loadConfig({ cwd: dataDir });
const log = createLog({ level: 'silent', stream: { write: () => {} } });
const server = await startParley({ ...config, port: 0, dataDir, rateLimits: false }, { log });
const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const url = new URL(server.url);
function post(path: string, body: string, key?: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const r = request({ host: url.hostname, port: url.port, path, method: 'POST', agent, headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) } }, (res) => {
      let t = '';
      res.on('data', (c) => (t += c));
      res.on('end', () => resolve({ status: res.statusCode ?? 0, text: t }));
    });
    r.on('error', reject);
    r.end(body);
  });
}
const reg = JSON.parse((await post('/v1/auth/register', JSON.stringify({ email: 'a@b.co' }))).text);
const key = reg.api_key as string;
const capsule = (id: string, n: number) => JSON.stringify({ subject_kind: 'user', subject_id: id, capsule: richCapsule('user', id, new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString()) });
console.log('body bytes', capsule('a', 1).length);
// raw
{
  const db = await openDatabase({ dataDir: mkdtempSync(join(tmpdir(), 'perf-raw-')) });
  await db.write((tx) => tx.run(sql`CREATE TABLE rows (id integer PRIMARY KEY AUTOINCREMENT, body text)`));
  const body = capsule('a', 1);
  let n = 0; const end = performance.now() + 3000;
  await Promise.all(Array.from({ length: 32 }, async () => { while (performance.now() < end) { await db.write((tx) => tx.run(sql`INSERT INTO rows (body) VALUES (${body})`)); n++; } }));
  console.log('raw inserts/s', Math.round(n / 3));
  await db.close();
}
for (const callers of [1, 32]) {
  const lat: number[] = []; let n = 0;
  const bodies = Array.from({ length: callers }, (_, c) => Array.from({ length: 300 }, (_, i) => capsule(`c${callers}-${c}`, i)));
  const t0 = performance.now();
  await Promise.all(bodies.map(async (list) => { for (const b of list.slice(0, callers === 1 ? 300 : 120)) { const t = performance.now(); const r = await post('/v1/continuity/upsert', b, key); if (r.status !== 200) throw new Error(r.text); lat.push(performance.now() - t); n++; } }));
  const s = (performance.now() - t0) / 1000; lat.sort((a, b) => a - b);
  console.log(`upsert ${callers} callers: ${Math.round(n / s)}/s p50 ${lat[lat.length >> 1]?.toFixed(2)} p99 ${lat[Math.floor(lat.length * 0.99)]?.toFixed(2)} ms`);
}
// 10k capsules
{
  const reg2 = JSON.parse((await post('/v1/auth/register', JSON.stringify({ email: 'b@b.co' }))).text);
  const caller = await server.context.identity.authenticate(reg2.api_key);
  const ids = Array.from({ length: 10_000 }, (_, i) => `subject-${i}`);
  const t0 = performance.now();
  for (let i = 0; i < ids.length; i += 100) await Promise.all(ids.slice(i, i + 100).map((id, j) => server.context.continuity.call('continuity.upsert', caller!, JSON.parse(capsule(id, i + j)))));
  console.log('filled 10k in', Math.round(performance.now() - t0), 'ms', Math.round(1e7 / (performance.now() - t0)), '/s in process');
  for (const [name, path, body] of [['list salience', 'list', { sort: 'salience' }], ['list default', 'list', {}], ['list salience 200', 'list', { sort: 'salience', limit: 200 }], ['startup read', 'read', { subject_kind: 'user', subject_id: 'subject-77', view: 'startup' }], ['search', 'search', { query: 'nothinglikethis' }], ['refresh', 'refresh/plan', {}]] as const) {
    const lat: number[] = [];
    for (let i = 0; i < (name === 'search' ? 5 : 100); i++) { const b = JSON.stringify(name === 'startup read' ? { ...body, subject_id: `subject-${(i * 97) % 10000}` } : body); const t = performance.now(); const r = await post(`/v1/continuity/${path}`, b, reg2.api_key); if (r.status !== 200) throw new Error(r.text); lat.push(performance.now() - t); }
    lat.sort((a, b) => a - b);
    console.log(name, 'p50', lat[lat.length >> 1]?.toFixed(2), 'p99', lat[Math.floor(lat.length * 0.99)]?.toFixed(2), 'ms');
  }
}
await server.stop();
process.exit(0);
