// A client that is told of wakes, made with an official library and in a process of its own: the library must be loaded as anybody
// would load it. Takes one JSON argument, how to start the server; prints each notification in a line, and calls the tool that is
// named on standard input, a line of JSON each.
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const print = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
const client = new Client({ name: 'woken', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
client.fallbackNotificationHandler = async (notification) => print(notification);
await client.connect(new StdioClientTransport({ ...JSON.parse(process.argv[2]), env: process.env }));
print({ ready: true, capabilities: client.getServerCapabilities() });
for await (const line of createInterface({ input: process.stdin })) {
  print({ result: await client.callTool(JSON.parse(line)) });
}
await client.close();
process.exit(0);
