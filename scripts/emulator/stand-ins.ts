import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter } from 'node:path';
import { createHandler } from '../../functions/generated-code/handler.ts';
import { PYTHON_PATH } from '../../local/children.ts';
import { baseEnvironment } from '../../local/drivers/child.ts';
import { startPolicyServer } from '../../local/processes/policy-server.ts';
import { projectPath, projectPython } from '../../local/project.ts';
import { startScriptedPolicy } from '../../local/testing/scripted-policy.ts';

/** What stands for containers that the emulator does not run, with the variables that tell it so. */
export interface StandIns {
  readonly env: Readonly<Record<string, string>>;
  /** `http://…/v1` of the policy, for the laptop's run. */
  readonly policy: string;
  stop(): Promise<void>;
}

/**
 * The policy container, the training container and the image of the generated-code function.
 * @param kind - `tiny`: the project's own server and trainer with the embedded policy; `scripted`: stand-ins by rule, for a quick check
 */
export async function startStandIns(kind: 'tiny' | 'scripted', stage: string): Promise<StandIns> {
  const python = projectPython(process.env);
  const server =
    kind === 'tiny'
      ? await startPolicyServer({ python, pythonPath: PYTHON_PATH, env: baseEnvironment(process.env), threads: 2 })
      : await startScriptedPolicy();
  const judge = await startJudge(python);
  const train =
    kind === 'tiny'
      ? `${python} -m grpo --root`
      : `${process.execPath} ${projectPath('local/testing/scripted-trainer-job.ts')}`;
  return {
    env: {
      SPADE_EMU_POLICY: server.uri.replace(/\/v1$/, ''),
      SPADE_EMU_TRAIN: train,
      SPADE_EMU_TASK: `${process.execPath} ${projectPath('dist/rollout.mjs')}`,
      SPADE_EMU_FILES: [`/app=${projectPath('dist')}`, `/usr/bin/python3=${python}`].join(delimiter),
      SPADE_PYTHON: python,
      PYTHONPATH: PYTHON_PATH.split(delimiter).join(delimiter),
      [`MINISTACK_LAMBDA_PROXY_spade-${stage}-generated-code`]: judge.url,
    },
    policy: server.uri,
    stop: async () => {
      await judge.stop();
      await ('stop' in server ? server.stop() : server.close());
    },
  };
}

/** The generated-code function's image as an HTTP server: an event in, a validation out. */
async function startJudge(python: string): Promise<{ url: string; stop(): Promise<void> }> {
  const judge = createHandler({ SPADE_PYTHON: python });
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const validation = await judge(JSON.parse(Buffer.concat(chunks).toString('utf8')));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(validation));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
