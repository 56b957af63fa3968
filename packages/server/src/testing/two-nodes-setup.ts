import { beforeEach } from 'vitest';
import { OF_ONE_PROCESS } from './one-process.ts';

beforeEach(({ task, skip }) => {
  const found = OF_ONE_PROCESS.find(
    ({ file, title }) => task.file.name.endsWith(`${file}.test.ts`) && task.name === title,
  );
  if (found) skip(`it ${found.reason}`);
});
