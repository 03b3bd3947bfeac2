import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, openSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { projectPath } from '../../local/project.ts';

const PORT = 4566;

export interface EmulatorOptions {
  /** Python with `scripts/emulator/requirements.txt`. */
  readonly python: string;
  readonly folder: string;
  /** `SPADE_EMU_*` and whatever else the emulator and its children are to see. */
  readonly env: Readonly<Record<string, string>>;
}

export interface Emulator {
  /** Variables by which any AWS client reaches the emulator as the account's root. */
  readonly client: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/**
 * Starts the emulator over TLS with IAM enforced. The first start of a folder only makes the certificate, which has to be trusted by
 * the emulator's own children from their beginning.
 */
export async function startEmulator(options: EmulatorOptions): Promise<Emulator> {
  if (await healthy()) throw new Error(`port ${PORT} is taken by another emulator`);
  mkdirSync(options.folder, { recursive: true });
  const certificate = join(options.folder, 'ministack-tls/server.crt');
  const client = {
    AWS_ENDPOINT_URL: `https://127.0.0.1:${PORT}`,
    ...{ AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' },
    ...{ AWS_REGION: 'us-east-1', AWS_DEFAULT_REGION: 'us-east-1', AWS_EC2_METADATA_DISABLED: 'true' },
    ...{ NODE_EXTRA_CA_CERTS: certificate, AWS_CA_BUNDLE: certificate },
  };
  if (!existsSync(certificate)) await stop(await launch(options, client));
  const server = await launch(options, { ...client, SSL_CERT_FILE: certificate });
  return { client, stop: () => stop(server) };
}

async function launch({ python, folder, env }: EmulatorOptions, client: Record<string, string>): Promise<ChildProcess> {
  const log = openSync(join(folder, 'emulator.log'), 'a');
  const server = spawn(python, ['-m', 'spade_emulator'], {
    cwd: folder,
    stdio: ['ignore', log, log],
    env: {
      ...{ HOME: process.env.HOME, TMPDIR: folder },
      PATH: `${projectPath('node_modules/.bin')}${delimiter}${process.env.PATH}`,
      ...client,
      ...{ BIND_HOST: '127.0.0.1', GATEWAY_PORT: String(PORT), MINISTACK_REGION: 'us-east-1', IOT_MTLS_ENABLED: '0' },
      ...{ AUTH: 'true', USE_SSL: '1', SPADE_EMU_FOLDER: folder },
      ...env,
      PYTHONPATH: [projectPath('scripts/emulator'), env.PYTHONPATH].filter(Boolean).join(delimiter),
    },
  });
  for (let tries = 0; tries < 600; tries++) {
    if (server.exitCode !== null)
      throw new Error(`the emulator ended with ${server.exitCode}; see ${folder}/emulator.log`);
    if (await healthy()) return server;
    await wait(200);
  }
  await stop(server);
  throw new Error(`the emulator did not come up; see ${folder}/emulator.log`);
}

/** Only whether something answers: the certificate is its own, so it is not asked for one. */
async function healthy(): Promise<boolean> {
  const { request } = await import('node:https');
  return new Promise((resolve) => {
    const call = request(
      { host: '127.0.0.1', port: PORT, path: '/_ministack/health', rejectUnauthorized: false },
      (answer) => {
        answer.resume();
        resolve(answer.statusCode === 200);
      },
    );
    call.on('error', () => resolve(false));
    call.end();
  });
}

async function stop(server: ChildProcess): Promise<void> {
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  if (server.exitCode !== null) return;
  server.kill('SIGTERM');
  const timer = setTimeout(() => server.kill('SIGKILL'), 5000);
  await ended;
  clearTimeout(timer);
}
