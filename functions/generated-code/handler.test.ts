import { expect, test } from 'vitest';
import { projectPython } from '../../local/project.ts';
import { createHandler } from './handler.ts';

const judge = createHandler({ SPADE_PYTHON: projectPython(process.env), SPADE_SANDBOX: 'best-effort' });
const request = {
  hint: '',
  setting: 'games',
  limits: { maxTurns: 4, ownTurns: false },
  modules: [],
  winThreshold: 0.5,
  probeSeed: 1,
};

test('a program that is none is refused with a reason, not with an error', async () => {
  const { verdict, infraLost } = await judge({ ...request, source: 'print("no class")' });
  expect(infraLost).toBe(false);
  expect(verdict).toMatchObject({ accepted: false, reason: 'class.missing' });
});

test('a request with an unknown field is refused before anything runs', async () => {
  await expect(judge({ ...request, source: '', key: 'value' })).rejects.toThrow('key');
});
