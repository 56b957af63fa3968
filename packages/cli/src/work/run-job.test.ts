import { expect, test } from 'vitest';
import { type Job, runJob } from './run-job.ts';

const JOB: Job = {
  id: 'run_1',
  cueId: 'cue_1',
  task: 'tidy',
  payload: { said: 'it’s; $(true)' },
  server: 'http://127.0.0.1:9',
};

const ran = (program: string, job: Partial<Job> = {}) =>
  runJob([process.execPath, '-e', program], { ...JOB, ...job });

test('it is told on standard input what to do, and by variables what it is about', async () => {
  const variables = '[e.PARLEY_URL, e.PARLEY_EXECUTION_ID, e.PARLEY_CUE_ID, e.PARLEY_TASK]';
  const program = `let e = process.env; process.stdin.pipe(process.stdout); console.log(JSON.stringify(${variables}))`;
  expect(await ran(program)).toEqual({
    success: true,
    result: '["http://127.0.0.1:9","run_1","cue_1","tidy"]\n{"said":"it’s; $(true)"}',
  });
  expect(await ran('console.log("PARLEY_TASK" in process.env)', { task: null })).toEqual({
    success: true,
    result: 'false',
  });
});

test('what came of it: the end of what it printed, and how it ended', async () => {
  expect(await ran('console.log(" ")')).toEqual({ success: true });
  const { result } = await ran('process.stdout.write("a" + "b".repeat(1999) + "c")');
  expect(result).toBe(`${'b'.repeat(1999)}c`);
  expect(await ran('process.exitCode = 3; console.log("half")')).toEqual({
    success: false,
    error: 'ended with exit code 3',
    result: 'half',
  });
  expect(await ran('process.kill(process.pid, "SIGKILL")')).toEqual({
    success: false,
    error: 'ended with SIGKILL',
  });
});

test('one that cannot be started is a failure of its own', async () => {
  expect(await runJob(['/nowhere/program'], JOB)).toEqual({
    success: false,
    error: 'spawn /nowhere/program ENOENT',
  });
  const refused = await ran('', { task: 'a\0b' });
  expect(refused).toEqual({ success: false, error: expect.stringContaining('null bytes') });
});
