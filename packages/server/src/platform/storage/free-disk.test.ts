import { tmpdir } from 'node:os';
import { describe, expect, test } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.ts';
import { createLog } from '../log.ts';
import { Metrics } from '../metrics.ts';
import { TimerWheel } from '../timer-wheel.ts';
import { type FreeBytes, FreeDisk, freeBytesAt, MIB } from './free-disk.ts';

const watched = (freeBytes: FreeBytes, least = 100 * MIB) => {
  const lines: string[] = [];
  const log = createLog({
    level: 'info',
    stream: { write: (line) => void lines.push(line) },
    secretPrefixes: [],
  });
  const [clock, metrics] = [new FakeClock(), new Metrics()];
  const disk = new FreeDisk({ freeBytes, least, log, metrics, wheel: new TimerWheel(clock) });
  const events = () => lines.map((line) => (JSON.parse(line) as { event: string }).event);
  return { disk, clock, metrics, events };
};

describe('the free disk', () => {
  test('is low below what is wanted, and told once each way', async () => {
    let free = 100 * MIB;
    const { disk, events } = watched(async () => free);
    await disk.look();
    expect([disk.isLow, disk.free, events()]).toEqual([false, 100 * MIB, []]);
    free -= 1;
    await disk.look();
    await disk.look();
    expect([disk.isLow, events()]).toEqual([true, ['disk_low']]);
    expect(disk.told).toContain('(99 MiB left, 100 wanted: PARLEY_MIN_FREE_DISK_MB)');
    free += 1;
    await disk.look();
    expect([disk.isLow, events()]).toEqual([false, ['disk_low', 'disk_has_room']]);
  });

  test('is not low where the system does not say', async () => {
    const { disk, metrics } = watched(() => Promise.reject(new Error('no such call')));
    await disk.look();
    expect([disk.isLow, disk.free]).toEqual([false, undefined]);
    expect(await metrics.text()).toContain('parley_disk_free_bytes -1\n');
  });

  test('is looked at when it starts and every ten seconds, until that is ended', async () => {
    let looks = 0;
    const { disk, clock, metrics } = watched(async () => (looks += 1));
    const end = await disk.start();
    expect(looks).toBe(1);
    await clock.advance(9_999);
    expect(looks).toBe(1);
    await clock.advance(251);
    expect(looks).toBe(2);
    await clock.advance(10_250);
    expect([looks, await metrics.text()]).toEqual([3, expect.stringContaining('parley_disk_free_bytes 3\n')]);
    end();
    await clock.advance(60_000);
    expect(looks).toBe(3);
  });

  test('is never looked at where nothing is wanted', async () => {
    let looks = 0;
    const { disk, clock } = watched(async () => (looks += 1), 0);
    (await disk.start())();
    await clock.advance(60_000);
    expect([looks, disk.isLow, disk.free]).toEqual([0, false, undefined]);
  });

  test('is that of the folder, in bytes', async () => {
    const free = await freeBytesAt(tmpdir())();
    expect(free).toBeGreaterThan(MIB);
    expect(Number.isInteger(free)).toBe(true);
    await expect(freeBytesAt('/nowhere/at/all')()).rejects.toThrow('ENOENT');
  });
});
