import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RecordingProxy {
  readonly url: string;
  /** Everything that was sent to the server: request lines, headers and bodies. */
  readonly sent: () => string;
  close(): Promise<void>;
}

/** Stands between the shells and the server and writes down what goes in. */
export async function startRecordingProxy(target: string): Promise<RecordingProxy> {
  const record: string[] = [];
  const server = createServer((incoming, outgoing) => {
    const { method = 'GET', url = '/', headers, rawHeaders } = incoming;
    record.push(`${method} ${url}`, rawHeaders.join(' '));
    const onward = request(new URL(url, target), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.on('data', (chunk: Buffer) => void record.push(chunk.toString('utf8')));
    incoming.pipe(onward);
    outgoing.on('close', () => onward.destroy());
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    sent: () => record.join('\n'),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
