import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { LaunchTrainer } from '../children.ts';

/** Long enough to be killed in. */
const TRAINING_MS = 600;

/** A trainer for tests of the host: keeps the container contract, and its "weights" are a hash of what it was given. */
export const launchScriptedTrainer: LaunchTrainer = ({ onLine }) => ({
  train: async (root, signal) => {
    onLine(JSON.stringify({ event: 'progress', phase: 'train', done: 0, total: 1 }));
    await wait(TRAINING_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return { code: 143 };
    write(root);
    onLine(JSON.stringify({ event: 'progress', phase: 'train', done: 1, total: 1, loss: 0.5 }));
    return { code: 0 };
  },
  stop: async () => undefined,
});

function write(root: string): void {
  const channel = (name: string) => join(root, 'input/data', name);
  const parameters = JSON.parse(readFileSync(join(root, 'input/config/hyperparameters.json'), 'utf8'));
  const hash = createHash('sha256');
  for (const file of readdirSync(channel('policy')).sort()) {
    hash.update(readFileSync(join(channel('policy'), file)));
    copyFileSync(join(channel('policy'), file), join(root, 'model', file));
  }
  hash.update(readFileSync(join(channel('batch'), 'samples.jsonl.gz')));
  writeFileSync(join(root, 'model/weights.txt'), hash.digest('hex'));
  mkdirSync(join(root, 'checkpoints/final'), { recursive: true });
  writeFileSync(join(root, 'checkpoints/final/state.txt'), String(parameters.policy_version));
  writeFileSync(
    join(root, 'checkpoints/probe.json'),
    JSON.stringify({ sequences: [{ tokenIds: [1, 2], logprobs: [null, -1] }] }),
  );
  writeFileSync(join(root, 'checkpoints/summary.json'), JSON.stringify(summary(Number(parameters.policy_version))));
}

function summary(policyVersion: number) {
  return {
    policyVersion,
    steps: 1,
    skippedSteps: 0,
    samples: { agent: 1, designer: 1 },
    tokens: 10,
    loss: 0.5,
    lossByRole: { agent: 0.5, designer: 0.5 },
    gradientNorm: 1,
    samplerGap: 0,
    clipFraction: 0,
    status: 'completed',
  };
}
