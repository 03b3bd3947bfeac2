import { copyFile, link, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Integration, IntegrationError, type Json } from './integrations.ts';

interface TrainingRequest {
  readonly TrainingJobName: string;
  readonly HyperParameters: Readonly<Record<string, string>>;
  readonly InputDataConfig: readonly {
    readonly ChannelName: string;
    readonly DataSource: { readonly S3DataSource: { readonly S3Uri: string } };
  }[];
  readonly OutputDataConfig: { readonly S3OutputPath: string };
  readonly CheckpointConfig: { readonly S3Uri: string };
  readonly StoppingCondition: { readonly MaxRuntimeInSeconds: number };
}

export interface SageMakerDriverOptions {
  /** Folder that holds one `/opt/ml` for each job. */
  readonly jobs: string;
  /** Folder behind a bucket name. @throws if there is no such bucket */
  readonly bucket: (name: string) => string;
  /** Runs the trainer on a job's folder to its end; 0 means that it completed. */
  readonly train: (root: string, signal: AbortSignal) => Promise<{ readonly code: number }>;
}

/**
 * `sagemaker:createTrainingJob.sync` on a folder: `/opt/ml` is laid out from the request, the checkpoint folder is filled from
 * its prefix and put back, the model goes to `<S3OutputPath><job>/output/model/`, as SageMaker does it with CompressionType NONE.
 *
 * A job whose model is already in place is not run again: the local host replays an execution that was killed, where AWS would go on with it.
 */
export function sageMakerDriver(options: SageMakerDriverOptions): Integration {
  return async (input, signal) => {
    const request = input as unknown as TrainingRequest;
    const folderOf = (uri: string) => folderBehind(uri, options.bucket);
    const name = request.TrainingJobName;
    const model = join(folderOf(request.OutputDataConfig.S3OutputPath), name, 'output/model');
    const checkpoints = folderOf(request.CheckpointConfig.S3Uri);
    if ((await filesUnder(model)).length > 0) return ended(name, 'Completed', 'Completed');
    const root = join(options.jobs, name);
    await layOut(root, request, folderOf);
    await copyFiles(checkpoints, join(root, 'checkpoints'), copyFile);
    const limit = AbortSignal.timeout(request.StoppingCondition.MaxRuntimeInSeconds * 1000);
    const { code } = await options.train(root, AbortSignal.any([signal, limit]));
    signal.throwIfAborted();
    await synchronise(join(root, 'checkpoints'), checkpoints);
    if (code !== 0 && limit.aborted) return ended(name, 'Stopped', 'MaxRuntimeExceeded');
    if (code !== 0) throw await failure(name, root, code);
    await publish(join(root, 'model'), model);
    await rm(root, { recursive: true, force: true });
    return ended(name, 'Completed', 'Completed');
  };
}

/** `/opt/ml` of one job; what an earlier, killed run of it left is taken away, its checkpoints aside. */
async function layOut(root: string, request: TrainingRequest, folderOf: (uri: string) => string): Promise<void> {
  const { HyperParameters, InputDataConfig } = request;
  for (const part of ['input', 'model', 'output']) await rm(join(root, part), { recursive: true, force: true });
  for (const part of ['input/config', 'input/data', 'model', 'output/data', 'checkpoints']) {
    await mkdir(join(root, part), { recursive: true });
  }
  const channels = InputDataConfig.map(({ ChannelName }) => [ChannelName, { TrainingInputMode: 'File' }]);
  const config: Record<string, unknown> = {
    hyperparameters: HyperParameters,
    inputdataconfig: Object.fromEntries(channels),
    resourceconfig: { current_host: 'algo-1', hosts: ['algo-1'], network_interface_name: 'lo' },
  };
  for (const [name, value] of Object.entries(config)) {
    await writeFile(join(root, 'input/config', `${name}.json`), JSON.stringify(value));
  }
  for (const { ChannelName, DataSource } of InputDataConfig) {
    await copyFiles(folderOf(DataSource.S3DataSource.S3Uri), join(root, 'input/data', ChannelName), linkOrCopy);
  }
}

/** Brings the files of one folder into another, each in one step. */
async function copyFiles(
  from: string,
  to: string,
  copy: (from: string, to: string) => Promise<void>,
): Promise<string[]> {
  const files = await filesUnder(from);
  for (const file of files) {
    const target = join(to, file);
    await mkdir(dirname(target), { recursive: true });
    const partial = `${target}.${process.pid}.partial`;
    await copy(join(from, file), partial);
    await rename(partial, target);
  }
  return files;
}

/** Makes a prefix equal to a folder; as on SageMaker, what is gone from the folder goes from the prefix. */
async function synchronise(from: string, to: string): Promise<void> {
  const kept = new Set(await copyFiles(from, to, copyFile));
  for (const file of await filesUnder(to)) if (!kept.has(file)) await rm(join(to, file), { force: true });
}

/** A hard link where the file system can: the trainer only reads its channels. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  await link(from, to).catch(() => copyFile(from, to));
}

/** Moves a finished model into the store in one step: a prefix holds a whole model or nothing. */
async function publish(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await rename(from, to);
}

async function filesUnder(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return found
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

function folderBehind(uri: string, bucket: (name: string) => string): string {
  const match = /^s3:\/\/([^/]+)\/(.*?)\/*$/.exec(uri);
  if (!match?.[1]) throw new IntegrationError('SageMaker.ValidationException', `${uri} is not an S3 URI`);
  return join(bucket(match[1]), match[2] ?? '');
}

function ended(name: string, status: string, secondaryStatus: string): Json {
  return { TrainingJobName: name, TrainingJobStatus: status, SecondaryStatus: secondaryStatus };
}

/** The first 1,024 characters of `/opt/ml/output/failure` become the reason, as on SageMaker. */
async function failure(name: string, root: string, code: number): Promise<IntegrationError> {
  const reason = await readFile(join(root, 'output/failure'), 'utf8').catch(() => `exit code ${code}`);
  const description = {
    TrainingJobName: name,
    TrainingJobStatus: 'Failed',
    SecondaryStatus: 'Failed',
    FailureReason: `AlgorithmError: ${reason.slice(0, 1024)}`,
  };
  return new IntegrationError('States.TaskFailed', JSON.stringify(description));
}
