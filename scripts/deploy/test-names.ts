import { createSocket } from 'node:dgram';
import { once } from 'node:events';

const HEADER = 12;
const ANSWERED = 0x8180;
const IPV4 = 1;
const SECONDS = 1;

/** A name server on this machine that knows one address, which can be changed; it gives it for every name. */
export async function startNames(
  first: string,
): Promise<{ port: number; move: (address: string) => void; stop: () => void }> {
  let address = first;
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address: from }) => {
    const end = query.indexOf(0, HEADER) + 5;
    const isIpv4 = query.readUInt16BE(end - 4) === IPV4;
    const header = Buffer.alloc(HEADER);
    for (const [at, value] of [query.readUInt16BE(0), ANSWERED, 1, isIpv4 ? 1 : 0].entries())
      header.writeUInt16BE(value, at * 2);
    const toQuestion = 0xc0_00 + HEADER;
    const record = [toQuestion >> 8, toQuestion & 0xff, 0, IPV4, 0, 1, 0, 0, 0, SECONDS, 0, 4];
    const answer = isIpv4 ? Buffer.from([...record, ...address.split('.').map(Number)]) : Buffer.alloc(0);
    socket.send(Buffer.concat([header, query.subarray(HEADER, end), answer]), port, from);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    port: socket.address().port,
    move(next) {
      address = next;
    },
    stop: () => socket.close(),
  };
}
