const MAX_BYTES = 60;

/**
 * The name a shell session takes: `AGENTALK_NAME`, else the working directory's with one `_` behind it. Only
 * `[A-Za-z0-9._-]` stays, so that a name can stand in file names and between single quotes.
 */
export function ownName(given: string, directory: string): string {
  if (given !== '') return plain(given);
  const last = directory.replace(/\/+$/, '').split('/').pop() ?? '';
  return plain(`${last}\n`);
}

function plain(text: string): string {
  // Byte by byte: a letter outside ASCII becomes as many `_` as it has bytes.
  return Buffer.from(text, 'utf8')
    .toString('latin1')
    .replaceAll(/[^A-Za-z0-9._-]/g, '_')
    .slice(0, MAX_BYTES);
}
