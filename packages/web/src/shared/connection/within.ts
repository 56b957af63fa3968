/** The value, or the given failure when it takes longer than that. What was waited for is not stopped by it. */
export async function within<Value>(ms: number, value: Promise<Value>, late: () => Error): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms);
  });
  try {
    return await Promise.race([value, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
