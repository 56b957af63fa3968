/** What a select has, a page of some size at a time: each begins behind the last row of the one before. */
export async function* pages<Row>(
  size: number,
  page: (after: Row | undefined) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  for (let after: Row | undefined; ; ) {
    const rows = await page(after);
    yield rows;
    after = rows.at(-1);
    if (!after || rows.length < size) return;
  }
}
