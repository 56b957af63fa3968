import { redisConnection } from '@parley/server/platform/redis/connection';

/** The least that a channel in a Redis needs: an index, the log, its bound, a life that slides, and a word to those who wait. */
const APPEND = `
  local index = redis.call('HINCRBY', KEYS[1], 'length', 1)
  redis.call('RPUSH', KEYS[2], ARGV[1])
  redis.call('LTRIM', KEYS[2], -1000, -1)
  redis.call('PEXPIRE', KEYS[1], 3600000)
  redis.call('PEXPIRE', KEYS[2], 3600000)
  redis.call('PUBLISH', KEYS[3], ARGV[1])
  return index`;

export interface BareAppend {
  append(channel: number): Promise<unknown>;
  close(): void;
}

/** One script on one connection that sends what is asked for at the same time together, as the server's does. */
export async function openBareAppend(url: string, text: string): Promise<BareAppend> {
  const connection = redisConnection(url);
  await connection.connect();
  const sha = (await connection.script('LOAD', APPEND)) as string;
  return {
    append(channel) {
      const base = `bare:{${channel}}`;
      return connection.evalsha(sha, 3, base, `${base}:l`, `${base}:e`, text);
    },
    close: () => connection.disconnect(),
  };
}
