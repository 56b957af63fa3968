import { expect, test } from 'vitest';
import { API } from './api.ts';
import { answerForm } from './route.ts';

const ROUTES = API.flatMap(({ routes }) => routes);

test('every route says what it answers', () => {
  expect(ROUTES.filter((route) => answerForm(route) === undefined).map(({ name }) => name)).toEqual([]);
});

test('no two routes share a name, or a method and path', () => {
  const names = ROUTES.map(({ name }) => name);
  const calls = ROUTES.map(({ method, path }) => `${method} ${path}`);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  expect(calls.filter((call, at) => calls.indexOf(call) !== at)).toEqual([]);
});
