// Lists and calls tools with an official client library, in a process of its own: the libraries must be loaded as anybody
// would load them. Takes one JSON argument, prints one JSON object. The key comes in the environment.
const { library, mode, url, stdio, calls } = JSON.parse(process.argv[2] ?? '{}');
const about = { name: 'official', version: '1' };

async function olderClient() {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const { StreamableHTTPClientTransport } = await import(
    '@modelcontextprotocol/sdk/client/streamableHttp.js'
  );
  const client = new Client(about);
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: withKey() }));
  return client;
}

async function newerClient() {
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
  const client = new Client(about, {
    versionNegotiation: { mode: mode === 'modern' ? { pin: '2026-07-28' } : 'legacy' },
  });
  const transport = stdio
    ? new StdioClientTransport({ ...stdio, env: process.env })
    : new StreamableHTTPClientTransport(new URL(url), { requestInit: withKey() });
  await client.connect(transport);
  return client;
}

const withKey = () => ({ headers: { Authorization: `Bearer ${process.env.PARLEY_TEST_KEY}` } });

const client = await (library === 'older' ? olderClient() : newerClient());
const { tools } = await client.listTools();
const { resources } = await client.listResources();
const { prompts } = await client.listPrompts();
const results = [];
for (const call of calls) results.push(await client.callTool(call));
process.stdout.write(
  JSON.stringify({
    tools: tools.map(({ name }) => name),
    resources: resources.map(({ uri }) => uri),
    prompts: prompts.map(({ name }) => name),
    results,
  }),
);
await client.close();
process.exit(0);
