import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection, rawRequest } from './connection.ts';

export interface ServerProcess {
  readonly url: string;
  /** Milliseconds of a processor that the process has used, of all its threads. */
  cpu(): number;
  /** Resident memory of the process in bytes, as it is. */
  resident(): number;
  /** Resident memory of the process in bytes, after a garbage collection. */
  memory(): Promise<number>;
  /** What its heap and its buffers hold in bytes, after a garbage collection. */
  heap(): Promise<number>;
  stop(): Promise<void>;
}

const TELLS_MEMORY = `
  process.on('message', () => {
    globalThis.gc?.();
    const { heapUsed, external } = process.memoryUsage();
    setTimeout(() => process.send?.({ heap: heapUsed + external }), 50);
  });
`;

const PARLEY = `
  import { serve } from '@parley/server/main';
  ${TELLS_MEMORY}
  process.exitCode = await serve([]);
  process.disconnect?.();
`;

const BARE = `
  import { createServer } from 'node:http';
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: 0 }, (request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const json = JSON.stringify(JSON.parse(Buffer.concat(chunks).toString()));
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(json) }).end(json);
    });
  });
  server.listen(0, '127.0.0.1', 4096, () =>
    console.log(JSON.stringify({ event: 'listening', url: 'http://127.0.0.1:' + server.address().port })));
  process.on('SIGTERM', () => process.exit(0));
`;

const BARE_STREAMS = `
  import { createServer } from 'node:http';
  const streams = new Set();
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: 0 }, (request, response) => {
    if (request.method === 'GET') {
      response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', Connection: 'keep-alive' });
      response.write('retry: 3000\\n\\n');
      streams.add(response);
      response.on('close', () => streams.delete(response));
      return;
    }
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const frame = Buffer.concat(chunks);
      for (const stream of streams) stream.write(frame);
      response.writeHead(200, { 'Content-Length': 0 }).end();
    });
  });
  ${TELLS_MEMORY}
  server.listen(0, '127.0.0.1', 4096, () =>
    console.log(JSON.stringify({ event: 'listening', url: 'http://127.0.0.1:' + server.address().port })));
  process.on('SIGTERM', () => process.exit(0));
`;

export interface ParleyProcess extends ServerProcess {
  readonly dataDir: string;
  /** Milliseconds from the start of the process to its first answer. */
  readonly startedMs: number;
}

/**
 * Parley with its defaults but for `env`, on a temporary store and a free port; from another checkout when one is named, and run by
 * another program when there is one.
 */
export async function startParley(
  env: Record<string, string> = {},
  checkout = process.cwd(),
  within: readonly string[] = [],
): Promise<ParleyProcess> {
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-bench-'));
  const begun = performance.now();
  const own = { PARLEY_PORT: '0', PARLEY_DATA_DIR: dataDir, ...env };
  const server = await start(PARLEY, own, { cwd: checkout, within });
  await firstAnswer(server.url);
  const startedMs = performance.now() - begun;
  return {
    ...server,
    dataDir,
    startedMs,
    async stop() {
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** The baseline: `node:http` that parses and echoes the same JSON. */
export const startBare = (): Promise<ServerProcess> => start(BARE, {});

/** The baseline of event streams: `node:http` that writes what is posted to everyone who listens. */
export const startBareStreams = (): Promise<ServerProcess> => start(BARE_STREAMS, {});

async function start(
  program: string,
  env: Record<string, string>,
  { cwd = process.cwd(), within = [] }: { cwd?: string; within?: readonly string[] } = {},
): Promise<ServerProcess> {
  // Log lines go to a file, as in production: reading them here would slow the load generator down.
  const folder = mkdtempSync(join(tmpdir(), 'parley-bench-log-'));
  const logFile = join(folder, 'log');
  const output = openSync(logFile, 'w');
  const [command, ...words] = [...within, process.execPath];
  const child = spawn(
    command ?? process.execPath,
    [
      ...words,
      ...(process.env.BENCH_NODE_FLAGS?.split(' ') ?? []),
      '--expose-gc',
      '--input-type=module',
      '-e',
      // A bench that fails leaves no server behind.
      `process.once('disconnect', () => process.exit(1));${program}`,
    ],
    {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', output, 'ignore', 'ipc'],
    },
  );
  closeSync(output);
  const url = await listening(child, logFile);
  return {
    url,
    cpu: () => cpuOf(child),
    resident: () => residentOf(child),
    memory: () => memoryOf(child),
    heap: () => collected(child),
    stop: () =>
      new Promise((resolve) => {
        child.on('exit', () => {
          rmSync(folder, { recursive: true, force: true });
          resolve();
        });
        child.kill('SIGTERM');
      }),
  };
}

/** Waits until the server logs where it listens. */
async function listening(child: ChildProcess, logFile: string): Promise<string> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
    const line = readFileSync(logFile, 'utf8')
      .split('\n')
      .find((text) => text.includes('"listening"'));
    if (line) return (JSON.parse(line) as { url: string }).url;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function firstAnswer(url: string): Promise<void> {
  const connection = await Connection.open(url);
  await connection.request(rawRequest('GET', '/health'));
  connection.close();
}

async function memoryOf(child: ChildProcess): Promise<number> {
  await collected(child);
  return residentOf(child);
}

function collected(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once('message', (told) => resolve((told as { heap: number }).heap));
    child.send('memory');
  });
}

function residentOf(child: ChildProcess): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
}

/** Clock ticks of the kernel, 100 a second on every machine that Node runs on. */
const TICK_MS = 10;

function cpuOf(child: ChildProcess): number {
  const stat = readFileSync(`/proc/${child.pid}/stat`, 'utf8');
  // The name of the program, in brackets, may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
