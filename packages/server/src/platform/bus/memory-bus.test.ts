import { describe, expect, test } from 'vitest';
import { MemoryBus } from './memory-bus.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function setUp() {
  const errors: string[] = [];
  const bus = new MemoryBus((error, subject) => errors.push(`${subject}: ${String(error)}`));
  const heard: string[] = [];
  const listen = (name: string, subject: string) =>
    bus.subscribe(subject, (hint) => heard.push(`${name} ${hint}`));
  return { bus, errors, heard, listen };
}

describe('memory bus', () => {
  test('delivers after the publisher is done, in order, to every listener of the subject', async () => {
    const { bus, heard, listen } = setUp();
    listen('a', 'rooms');
    listen('b', 'rooms');
    listen('c', 'jobs');
    bus.publish('rooms', '1');
    bus.publish('jobs', '2');
    bus.publish('rooms', '3');
    expect(heard).toEqual([]);
    await turn();
    expect(heard).toEqual(['a 1', 'b 1', 'c 2', 'a 3', 'b 3']);
  });

  test('gives an empty hint when there is none', async () => {
    const { bus, heard, listen } = setUp();
    listen('a', 'rooms');
    bus.publish('rooms');
    await turn();
    expect(heard).toEqual(['a ']);
  });

  test('lets nobody suffer from a listener that throws', async () => {
    const { bus, errors, heard, listen } = setUp();
    bus.subscribe('rooms', () => {
      throw new Error('broken');
    });
    listen('a', 'rooms');
    bus.publish('rooms', '1');
    bus.publish('rooms', '2');
    await turn();
    expect(heard).toEqual(['a 1', 'a 2']);
    expect(errors).toEqual(['rooms: Error: broken', 'rooms: Error: broken']);
  });

  test('delivers what a listener publishes, after what was published before', async () => {
    const { bus, heard, listen } = setUp();
    bus.subscribe('rooms', (hint) => {
      if (hint === '1') bus.publish('rooms', 'answer');
    });
    listen('a', 'rooms');
    bus.publish('rooms', '1');
    bus.publish('rooms', '2');
    await turn();
    expect(heard).toEqual(['a 1', 'a 2', 'a answer']);
  });

  test('is silent to one that left, even before delivery', async () => {
    const { bus, heard, listen } = setUp();
    const leave = listen('a', 'rooms');
    listen('b', 'rooms');
    bus.publish('rooms', '1');
    leave();
    leave();
    await turn();
    expect(heard).toEqual(['b 1']);
  });

  test('drops everything once closed', async () => {
    const { bus, heard, listen } = setUp();
    listen('a', 'rooms');
    bus.publish('rooms', '1');
    await bus.close();
    bus.publish('rooms', '2');
    await turn();
    expect(heard).toEqual([]);
  });
});
