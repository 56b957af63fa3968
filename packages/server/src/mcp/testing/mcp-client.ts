import { type Answer, HttpClient } from '../../testing/http-client.ts';

export interface RpcAnswer {
  jsonrpc: string;
  id?: unknown;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: Record<string, unknown> };
}

export interface ToolAnswer {
  isError: boolean;
  structuredContent: Record<string, unknown> & { status?: number; detail?: unknown };
  content: { type: string; text: string }[];
}

export const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** Speaks to the endpoint word by word, in both eras. */
export class McpClient {
  readonly http: HttpClient;
  readonly #key: string | undefined;

  constructor(server: { url: string }, key?: string) {
    this.http = new HttpClient(server);
    this.#key = key;
  }

  /** Whatever is to be posted, as it is. */
  post(body: unknown, headers: Record<string, string> = {}): Promise<Answer<RpcAnswer>> {
    const bearer: Record<string, string> =
      this.#key === undefined ? {} : { authorization: `Bearer ${this.#key}` };
    return this.http.post<RpcAnswer>('/v1/mcp', body, {
      headers: { 'content-type': 'application/json', ...bearer, ...headers },
    });
  }

  legacy(method: string, params?: unknown, headers: Record<string, string> = {}): Promise<Answer<RpcAnswer>> {
    return this.post({ jsonrpc: '2.0', id: 1, method, ...(params !== undefined && { params }) }, headers);
  }

  modern(
    method: string,
    params: Record<string, unknown> = {},
    headers: Record<string, string | undefined> = {},
  ): Promise<Answer<RpcAnswer>> {
    const name = params.name ?? params.uri;
    const all = {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
      ...headers,
    };
    const sent = Object.entries(all).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]]));
    return this.post(
      { jsonrpc: '2.0', id: 1, method, params: { _meta: META, ...params } },
      Object.fromEntries(sent) as Record<string, string>,
    );
  }

  /** The result of a tool, which must have been reached. */
  async tool(name: string, given: unknown = {}): Promise<ToolAnswer> {
    const { status, text, body } = await this.legacy('tools/call', { name, arguments: given });
    if (status !== 200 || !body.result) throw new Error(`${name} was not called: ${status} ${text}`);
    return body.result as unknown as ToolAnswer;
  }

  /** What a tool answered, which must have worked. */
  async done(name: string, given: unknown = {}): Promise<Record<string, unknown>> {
    const { isError, structuredContent } = await this.tool(name, given);
    if (isError) throw new Error(`${name}: ${JSON.stringify(structuredContent)}`);
    return structuredContent;
  }
}
