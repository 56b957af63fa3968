/** Something to read before the work begins. Where it came from is not told. */
export interface Evidence {
  readonly path: string;
  readonly type: string;
  readonly snippet: string;
  readonly score: number | null;
  readonly importance?: number | null;
  readonly modified_at?: string;
}

export const SNIPPET_CHARS = 280;
