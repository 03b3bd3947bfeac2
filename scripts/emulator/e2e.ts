/**
 * The deployed application in an emulated AWS account, end to end: `npm run e2e:emulator [-- --policy tiny|scripted] [--keep]`.
 *
 * Bootstraps and deploys the unmodified application with IAM enforced, starts an experiment by the command that people use, waits until two
 * iterations have closed by themselves, looks at it by the other commands, and compares every artefact with the same experiment's run on
 * this machine, byte by byte. Then it takes everything down. Exit code 0: all of it held.
 */
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { parseArgs, promisify } from 'node:util';
import { LambdaClient, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import { DescribeEndpointCommand, SageMakerClient } from '@aws-sdk/client-sagemaker';
import { ListExecutionsCommand, ListStateMachinesCommand, SFNClient } from '@aws-sdk/client-sfn';
import { type Deployment, openDeployment } from '../../cloud/index.ts';
import { homeOf, runExperiment } from '../../local/index.ts';
import { projectPath } from '../../local/project.ts';
import { launchScriptedTrainer } from '../../local/testing/scripted-trainer.ts';
import { openStore } from '../../shared/adapters/stores.ts';
import { iterationKeys } from '../../shared/contracts/index.ts';
import { differences, fingerprints } from './compare.ts';
import { emulatorPython } from './python.ts';
import { startEmulator } from './server.ts';
import { startStandIns } from './stand-ins.ts';

const STAGE = 'emu';
const EXPERIMENT = 'e2e';
const ITERATIONS = 2;
const LIMIT_MS = 30 * 60_000;

const { values } = parseArgs({
  options: {
    policy: { type: 'string', default: 'tiny' },
    keep: { type: 'boolean', default: false },
    assembly: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help || (values.policy !== 'tiny' && values.policy !== 'scripted')) {
  console.log(
    'npm run e2e:emulator [-- --policy tiny|scripted] [--keep]\n  --keep leaves the scratch folder with the emulator’s log\n  --assembly DIR takes a synthesised application instead of making one',
  );
  process.exit(values.help ? 0 : 2);
}
const kind = values.policy;

const folder = mkdtempSync(join(tmpdir(), 'spade-e2e-'));
/** The synthesised application: made once, then taken through everything. */
const app = values.assembly ?? join(folder, 'cdk.out');
const began = Date.now();
/** Ends the commands that still run. */
const over = new AbortController();
const say = (text: string) => console.log(`${((Date.now() - began) / 1000).toFixed(0).padStart(4)} s  ${text}`);

// The task and the commands are run as they are shipped.
execFileSync(process.execPath, [projectPath('scripts/build.mjs')], { stdio: 'inherit' });
const standIns = await startStandIns(kind, STAGE);
say(`stand-ins are up (${kind} policy)`);
const python = emulatorPython();
// Two shards of the first iteration find no Spot capacity, so that the Catch takes them to on-demand capacity.
const emulator = await startEmulator({ python, folder, env: { ...standIns.env, SPADE_EMU_SPOT_SHORT: '2' } });
Object.assign(process.env, emulator.client);
// Children read NODE_EXTRA_CA_CERTS when they start; this process has started.
setDefaultCACertificates([
  ...getCACertificates('default'),
  readFileSync(emulator.client.NODE_EXTRA_CA_CERTS as string, 'utf8'),
]);
say('the emulator is up, IAM enforced');

try {
  if (!values.assembly) cdk('synth', '--quiet', '-c', 'deployment=deploy/emulator.yaml', '--output', app);
  say(values.assembly ? 'took the synthesised application' : 'cdk synth');
  cdk('bootstrap', '--app', app);
  say('cdk bootstrap');
  cdk('deploy', '--app', app, '--all', '--require-approval', 'never', '--concurrency', '2');
  say('cdk deploy --all');
  const file = experimentFile();
  const deployment = await openDeployment(STAGE);
  await checkBefore(file);
  const watched = spade('watch', EXPERIMENT, '--home', join(folder, 'watched'));
  watched.catch(() => {});
  await closed(deployment.stores.episodes);
  say(`${ITERATIONS} iterations have closed in the cloud`);
  check('spade watch ends with the last iteration', /^ *2 /m.test(await watched));
  await checkAfter(file, deployment);
  const record = await deployment.stores.episodes.get(iterationKeys(EXPERIMENT, ITERATIONS).record);
  const { designs, scores } = JSON.parse(Buffer.from(record).toString('utf8'));
  check(`designs ${JSON.stringify(designs)}`, designs.accepted > 0);
  check(`episodes ${JSON.stringify(scores.episodes)}`, scores.episodes.played > 0);
  await deployment.queue.send({ experiment: EXPERIMENT, iteration: 1, attempt: 1 });
  await wait(5000);
  await checkExecutions(String(deployment.variables.SPADE_STATE_MACHINE));
  await checkReleased();
  checkDenials(deployment);

  await runExperiment({
    file,
    home: join(folder, 'home'),
    ...(kind === 'scripted' && { launchTrainer: launchScriptedTrainer }),
  });
  say('the same experiment has run on this machine');
  const home = homeOf(join(folder, 'home'), EXPERIMENT);
  for (const name of ['environments', 'episodes', 'policies'] as const) {
    const cloud = await fingerprints(deployment.stores[name]);
    const laptop = await fingerprints(openStore(`file://${home.stores[name]}`));
    const different = differences(cloud, laptop);
    if (different.length > 0)
      console.log(
        different
          .slice(0, 20)
          .map((key) => `        ${key}`)
          .join('\n'),
      );
    check(
      `${name}: ${cloud.size} objects, byte-identical in the cloud and on the laptop`,
      different.length === 0 && cloud.size > 0,
    );
  }
  cdk('destroy', '--app', app, '--all', '--force');
  say('cdk destroy --all');
  await checkLeft(deployment);
  say('everything held');
} finally {
  over.abort();
  await emulator.stop();
  await standIns.stop();
  if (!values.keep) rmSync(folder, { recursive: true, force: true });
  else console.log(`kept ${folder}`);
}
process.exit(0);

function cdk(...args: string[]): void {
  execFileSync(process.execPath, [projectPath('node_modules/aws-cdk/bin/cdk'), ...args], {
    cwd: projectPath(),
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: LIMIT_MS,
    env: {
      ...process.env,
      ...{ CI: '1', CDK_DISABLE_CLI_TELEMETRY: 'true', HOME: folder },
      PATH: `${projectPath('node_modules/.bin')}${delimiter}${process.env.PATH}`,
    },
  });
}

/** A `spade` command with the caller's credentials; what it printed. */
async function spade(verb: string, ...args: string[]): Promise<string> {
  const stage = verb === 'estimate' ? [] : ['--stage', STAGE];
  const line = [projectPath('dist/cli.mjs'), verb, ...args, ...stage];
  const { stdout } = await promisify(execFile)(process.execPath, line, { signal: over.signal });
  console.log(stdout.replace(/^/gm, '        '));
  return stdout;
}

/** What a person does to begin: look at the deployment, ask what it costs, start. */
async function checkBefore(file: string): Promise<void> {
  const info = await spade('deploy-info');
  check(
    'spade deploy-info names stores, queue and policy',
    /^episodes +s3:/m.test(info) && /^policy +sagemaker:\/\/spade-emu/m.test(info),
  );
  const cost = await spade('estimate', file);
  check(
    'spade estimate has a total and a cap',
    /experiment +2 iterations/.test(cost) && cost.includes('within the cap'),
  );
  const started = await spade('start', file, '--target', 'aws');
  check('spade start requested the first iteration', started.includes(`requested ${EXPERIMENT}-i0001-a1`));
}

/** What a person does in the end: look at the numbers, write the report, start again for nothing, stop. */
async function checkAfter(file: string, { table, stores }: Deployment): Promise<void> {
  const target = ['--target', 'aws'];
  const home = ['--home', join(folder, 'seen')];
  const status = await spade('status', EXPERIMENT, ...target, ...home);
  check('spade status counts the iterations', status.includes(`iterations  ${ITERATIONS} of ${ITERATIONS} closed`));
  check('spade status knows what was spent', /spend +\$0\.\d*[1-9]\d* of/.test(status) && /runs now +no/.test(status));
  const page = join(folder, 'report.html');
  await spade('report', EXPERIMENT, ...target, ...home, '--out', page);
  check('spade report wrote a page', readFileSync(page, 'utf8').includes('</html>'));
  const again = await spade('start', file, ...target);
  check('spade start asks for nothing more', again.includes('has all its iterations'));
  await spade('stop', EXPERIMENT);
  check('spade stop is noted', await table.ledger.stopRequested(EXPERIMENT));
  const times = await stores.episodes.list(iterationKeys(EXPERIMENT, 1).taskTimesPrefix);
  check(`${times.length} tasks said how long they ran`, times.length >= 2);
}

/** Small, and without an evaluation in the scripted case, whose policy knows only one game. */
function experimentFile(): string {
  const path = join(folder, `${EXPERIMENT}.yaml`);
  const own = kind === 'tiny' ? 'evaluation: { every: 1, instances: 48 }' : scriptedFields();
  writeFileSync(
    path,
    `experiment: ${EXPERIMENT}
profile: tiny
iterations: ${ITERATIONS}
skills: [Mathematical Reasoning, Optimization]
skillsPerWindow: 2
designer: { environments: 8 }
agent: { episodes: 4 }
limits: { environmentsPerShard: 4 }
${own}
`,
  );
  return path;
}

function scriptedFields(): string {
  for (const [name, body] of [['corpus.jsonl', '{"text": "Numbers can be added in any order."}\n']] as const)
    writeFileSync(join(folder, name), body);
  mkdirSync(join(folder, 'model'), { recursive: true });
  writeFileSync(join(folder, 'model/config.json'), '{}');
  return `evaluation: { every: 0 }
duplicates: { similarity: 1 }
grounding: { corpus: corpus.jsonl }
serving: { policy: '${standIns.policy}', initialPolicy: model }`;
}

async function closed(episodes: Awaited<ReturnType<typeof openDeployment>>['stores']['episodes']): Promise<void> {
  const last = iterationKeys(EXPERIMENT, ITERATIONS).record;
  const failed = (iteration: number) => iterationKeys(EXPERIMENT, iteration).failure(1);
  for (const limit = Date.now() + LIMIT_MS; Date.now() < limit; await wait(2000)) {
    if (await episodes.exists(last)) return;
    for (let iteration = 1; iteration <= ITERATIONS; iteration++) {
      const failure = await episodes.find(failed(iteration));
      if (failure) throw new Error(`iteration ${iteration} failed: ${Buffer.from(failure).toString('utf8')}`);
    }
  }
  throw new Error(`iteration ${ITERATIONS} did not close in time; see ${folder}/emulator.log`);
}

/** Two executions, named by their requests, both successful: the second was started by the first one's event, the duplicate by nothing. */
async function checkExecutions(stateMachineArn: string): Promise<void> {
  const sfn = new SFNClient({});
  const { executions = [] } = await sfn.send(new ListExecutionsCommand({ stateMachineArn }));
  const names = executions.map(({ name }) => name).sort();
  check(`executions ${names.join(', ')}`, names.join() === [`${EXPERIMENT}-i0001-a1`, `${EXPERIMENT}-i0002-a1`].join());
  check(
    'all executions succeeded',
    executions.every(({ status }) => status === 'SUCCEEDED'),
  );
  const log = readFileSync(join(folder, 'emulator.log'), 'utf8');
  check('the Catch took shards from Spot to on demand', log.includes('rollout task on FARGATE\n'));
  check('later shards ran on Spot', log.includes('rollout task on FARGATE_SPOT\n'));
}

async function checkReleased(): Promise<void> {
  const gone = await new SageMakerClient({}).send(new DescribeEndpointCommand({ EndpointName: `spade-${STAGE}` })).then(
    () => false,
    (error: Error) => /Could not find/.test(error.message),
  );
  check('the endpoint is gone when the experiment is over', gone);
}

/** After the stacks have gone: nothing that bills by the hour or by use, and the data, as `data: retain` says. */
async function checkLeft({ stores }: Deployment): Promise<void> {
  const { Functions = [] } = await new LambdaClient({}).send(new ListFunctionsCommand({}));
  const { stateMachines = [] } = await new SFNClient({}).send(new ListStateMachinesCommand({}));
  const names = [...Functions.map(({ FunctionName }) => FunctionName), ...stateMachines.map(({ name }) => name)];
  const left = names.filter((name) => name?.startsWith(`spade-${STAGE}`) || name?.startsWith('SelfPlay'));
  check(`no function and no state machine is left${left.map((name) => ` ${name}`).join()}`, left.length === 0);
  await checkReleased();
  check('the data stays', await stores.episodes.exists(iterationKeys(EXPERIMENT, ITERATIONS).record));
}

/** Each role of the deployment is refused what it must not be able to do. */
function checkDenials({ variables }: Deployment): void {
  const env = { ...process.env, PYTHONPATH: projectPath('scripts/emulator') };
  execFileSync(python, ['-m', 'spade_emulator.denials'], {
    env,
    input: JSON.stringify(variables),
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  check('every role is refused what it must not do', true);
}

function check(what: string, holds: boolean): void {
  if (!holds) throw new Error(`does not hold: ${what}`);
  say(`holds: ${what}`);
}
