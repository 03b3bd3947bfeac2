import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readDeployment } from './config.ts';

const folder = mkdtempSync(join(tmpdir(), 'spade-deploy-'));
afterAll(() => rmSync(folder, { recursive: true }));

function deployment(changes: string): string {
  const file = join(folder, 'x.yaml');
  writeFileSync(
    file,
    `stage: dev\nregion: us-east-1\nnotify: a@example.org\nbudgetUsdPerMonth: 5\nimages: {mode: build}\n${changes}`,
  );
  return file;
}

test('what is left out has its default', () => {
  const config = readDeployment(deployment(''));
  expect(config.network).toEqual({ availabilityZones: 1, interfaceEndpoints: 'on' });
  expect(config.experiments).toEqual(['*']);
  expect(config.data).toBe('retain');
});

test.each([
  ['an unknown key', 'colour: red\n', 'colour'],
  ['an unknown key inside', 'network: {nat: true}\n', 'network'],
  ['a wildcard in the middle', 'experiments: ["a*b"]\n', 'experiments.0'],
  ['a retention that CloudWatch does not know', 'logRetentionDays: 31\n', 'logRetentionDays'],
])('%s is refused with its field', (_what, changes, field) => {
  expect(() => readDeployment(deployment(changes))).toThrow(field);
});

test('every deployment file of the project is valid', async () => {
  const { readdirSync } = await import('node:fs');
  const root = join(import.meta.dirname, '../deploy');
  for (const name of readdirSync(root)) expect(readDeployment(join(root, name)).stage).not.toBe('');
});
