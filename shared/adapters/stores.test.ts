import { describe, expect, it } from 'vitest';
import { createProgress } from './progress.ts';
import { openStore, openStores } from './stores.ts';

describe('stores by URI', () => {
  it.each([
    ['file:///tmp/spade', 'file:///tmp/spade/a/b'],
    ['s3://bucket', 's3://bucket/a/b'],
    ['s3://bucket/run/1/', 's3://bucket/run/1/a/b'],
  ])('%s', (uri, key) => {
    expect(openStore(uri).uri('a/b')).toBe(key);
  });

  it('name the variable that is missing and what would do', () => {
    const env = { SPADE_ENVIRONMENTS: 'file:///e', SPADE_EPISODES: 's3://b', SPADE_POLICIES: 'file:///p' };
    expect(() => openStores(env)).toThrow(/SPADE_CORPORA.*file:\/\/\/dir or s3:\/\/bucket/);
    expect(() => openStores({ ...env, SPADE_CORPORA: 'ftp://x' })).toThrow(/"ftp:\/\/x": expected file/);
    expect(openStores({ ...env, SPADE_CORPORA: 'file:///c' }).episodes.uri('k')).toBe('s3://b/k');
  });
});

describe('progress', () => {
  const event = { phase: 'rollout', experiment: 'exp', iteration: 1, done: 3, total: 9 } as const;

  it('is one JSON object a line', () => {
    const lines: string[] = [];
    createProgress((line) => lines.push(line)).emit(event);
    expect(lines).toEqual([`${JSON.stringify({ event: 'progress', ...event })}\n`]);
  });

  it('never ends a run', () => {
    const broken = createProgress(() => {
      throw new Error('EPIPE');
    });
    expect(() => broken.emit(event)).not.toThrow();
  });
});
