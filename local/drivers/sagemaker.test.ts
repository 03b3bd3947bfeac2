import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Json } from './integrations.ts';
import { type SageMakerDriverOptions, sageMakerDriver } from './sagemaker.ts';

let folder: string;
const signal = new AbortController().signal;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spade-job-'));
  put('policies/demo/v0/config.json', 'weights');
  put('episodes/demo/batch/samples.jsonl.gz', 'batch');
});
afterEach(() => rmSync(folder, { recursive: true }));

function put(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

const channel = (name: string, uri: string) => ({ ChannelName: name, DataSource: { S3DataSource: { S3Uri: uri } } });
const request = {
  TrainingJobName: 'job',
  HyperParameters: { seed: '1' },
  InputDataConfig: [channel('policy', 's3://policies/demo/v0/'), channel('batch', 's3://episodes/demo/batch/')],
  OutputDataConfig: { S3OutputPath: 's3://policies/demo/training/' },
  CheckpointConfig: { S3Uri: 's3://policies/demo/checkpoints/job/' },
  StoppingCondition: { MaxRuntimeInSeconds: 60 },
} as unknown as Json;

function driver(train: SageMakerDriverOptions['train']) {
  return sageMakerDriver({ jobs: join(folder, 'jobs'), bucket: (name) => join(folder, name), train });
}

/** A trainer that writes one file of weights and one of state. */
const trains = async (root: string) => {
  writeFileSync(join(root, 'model/model.bin'), 'new');
  writeFileSync(join(root, 'checkpoints/summary.json'), '{}');
  return { code: 0 };
};

describe('a training job in a folder', () => {
  test('finds its channels and hyperparameters where SageMaker puts them', async () => {
    let seen: unknown;
    await driver(async (root) => {
      seen = {
        parameters: JSON.parse(readFileSync(join(root, 'input/config/hyperparameters.json'), 'utf8')),
        channels: Object.keys(JSON.parse(readFileSync(join(root, 'input/config/inputdataconfig.json'), 'utf8'))),
        policy: readFileSync(join(root, 'input/data/policy/config.json'), 'utf8'),
        batch: readFileSync(join(root, 'input/data/batch/samples.jsonl.gz'), 'utf8'),
      };
      return trains(root);
    })(request, signal);
    expect(seen).toEqual({
      parameters: { seed: '1' },
      channels: ['policy', 'batch'],
      policy: 'weights',
      batch: 'batch',
    });
  });

  test('leaves weights under the output path and its state under the checkpoint prefix', async () => {
    expect(await driver(trains)(request, signal)).toMatchObject({ TrainingJobStatus: 'Completed' });
    expect(readFileSync(join(folder, 'policies/demo/training/job/output/model/model.bin'), 'utf8')).toBe('new');
    expect(existsSync(join(folder, 'policies/demo/checkpoints/job/summary.json'))).toBe(true);
  });

  test('starts from its checkpoints, and what it deletes there is gone from the prefix', async () => {
    put('policies/demo/checkpoints/job/step-1', 'old');
    await driver(async (root) => {
      expect(readFileSync(join(root, 'checkpoints/step-1'), 'utf8')).toBe('old');
      rmSync(join(root, 'checkpoints/step-1'));
      return trains(root);
    })(request, signal);
    expect(readdirSync(join(folder, 'policies/demo/checkpoints/job'))).toEqual(['summary.json']);
  });

  test('cannot change a stored checkpoint by writing into its copy', async () => {
    put('policies/demo/checkpoints/job/metrics', 'stored');
    await expect(
      driver(async (root) => {
        writeFileSync(join(root, 'checkpoints/metrics'), 'half');
        throw new Error('killed');
      })(request, signal),
    ).rejects.toThrow('killed');
    expect(readFileSync(join(folder, 'policies/demo/checkpoints/job/metrics'), 'utf8')).toBe('stored');
  });

  test('that has its weights in place is not run again', async () => {
    await driver(trains)(request, signal);
    const again = driver(async () => {
      throw new Error('run twice');
    });
    expect(await again(request, signal)).toMatchObject({ TrainingJobStatus: 'Completed' });
  });

  test('that fails says why, keeps its checkpoints and leaves no weights', async () => {
    const failing = driver(async (root) => {
      await trains(root);
      writeFileSync(join(root, 'output/failure'), 'loss is not finite');
      return { code: 1 };
    });
    await expect(failing(request, signal)).rejects.toMatchObject({
      name: 'States.TaskFailed',
      message: expect.stringContaining('loss is not finite'),
    });
    expect(existsSync(join(folder, 'policies/demo/checkpoints/job/summary.json'))).toBe(true);
    expect(existsSync(join(folder, 'policies/demo/training/job'))).toBe(false);
  });

  test('that runs out of time is stopped, which is not success', async () => {
    const limited = { ...(request as object), StoppingCondition: { MaxRuntimeInSeconds: 0.05 } } as unknown as Json;
    const slow = driver(
      (_root, stop) => new Promise((resolve) => stop.addEventListener('abort', () => resolve({ code: 143 }))),
    );
    expect(await slow(limited, signal)).toMatchObject({
      TrainingJobStatus: 'Stopped',
      SecondaryStatus: 'MaxRuntimeExceeded',
    });
  });

  test('refuses a URI that is none', async () => {
    const bad = { ...(request as object), CheckpointConfig: { S3Uri: 'file:///x' } } as unknown as Json;
    await expect(driver(trains)(bad, signal)).rejects.toMatchObject({ name: 'SageMaker.ValidationException' });
  });
});
