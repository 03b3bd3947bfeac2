import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** What may be run of an image, and how: always without network, capabilities, shared memory and a writable root. */
export interface RunOptions {
  readonly entryPoint: string;
  readonly arguments?: readonly string[];
  /** `uid:gid`. @default the image's own */
  readonly user?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Folder on this machine by folder in the container; `:ro` after the latter for read-only. */
  readonly volumes?: Readonly<Record<string, string>>;
}

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningContainer {
  readonly ended: Promise<Ended>;
  /** Tells its first process to end, as Fargate does. */
  terminate(): void;
}

/**
 * Builds and runs images by Docker, podman, or a program of one's own.
 *
 * The program is for machines without either: `PROGRAM base IMAGE…` makes stand-ins under these names, `PROGRAM build TAG DIR [flags]`
 * builds, `PROGRAM run TAG [flags --] COMMAND…` runs with podman's flags, without network and capabilities, on a read-only root.
 */
export class Engine {
  readonly #command: string;
  readonly #own: boolean;

  /** @throws {Error} saying what to set when there is none */
  public constructor(wanted = process.env.SPADE_CONTAINER) {
    const found = wanted ?? ['docker', 'podman'].find(works);
    if (!found || !works(found)) {
      throw new Error(
        `${found ? `${found} does not run` : 'neither docker nor podman runs here'}: install one, or set SPADE_CONTAINER to docker, podman ` +
          'or a program that takes base, build and run (scripts/images/engine.ts)',
      );
    }
    this.#command = found;
    this.#own = !/(^|\/)(docker|podman)$/.test(found);
  }

  /** Makes the base images where they cannot be pulled. */
  public prepare(bases: readonly string[]): void {
    if (this.#own) this.#sync('base', ...bases);
  }

  /** `SPADE_CONTAINER_BUILD_FLAGS` adds flags, such as the volume with a proxy's certificates. */
  public build(tag: string, folder: string, dockerfile: string): void {
    const flags = ['-f', dockerfile, ...(process.env.SPADE_CONTAINER_BUILD_FLAGS?.split(' ') ?? [])];
    if (this.#own) this.#sync('build', tag, folder, ...flags);
    else this.#sync('build', '-t', tag, ...flags, folder);
  }

  public run(tag: string, options: RunOptions): RunningContainer {
    const flags = [
      ...['--ipc', 'none', '--entrypoint', options.entryPoint],
      ...(options.user ? ['--user', options.user] : []),
      ...Object.entries(options.environment ?? {}).flatMap(([name, value]) => ['-e', `${name}=${value}`]),
      ...Object.entries(options.volumes ?? {}).flatMap(([inside, outside]) => ['-v', volume(inside, outside)]),
    ];
    const locked = ['--rm', '--network', 'none', '--read-only', '--cap-drop', 'all'];
    const command = options.arguments ?? [];
    const line = this.#own ? ['run', tag, ...flags, '--', ...command] : ['run', ...locked, ...flags, tag, ...command];
    const child = spawn(this.#command, line, { stdio: ['ignore', 'pipe', 'pipe'] });
    // A program of one's own waits for the engine that it started, which hands the signal on and ends as the container does.
    const terminate = this.#own ? () => spawnSync('pkill', ['-TERM', '-P', String(child.pid)]) : () => child.kill();
    return { ended: endOf(child), terminate: () => void terminate() };
  }

  #sync(...line: string[]): void {
    execFileSync(this.#command, line, { stdio: ['ignore', 'inherit', 'inherit'] });
  }
}

function volume(inside: string, outside: string): string {
  const [folder, mode] = inside.split(':');
  return [outside, folder, ...(mode ? [mode] : [])].join(':');
}

async function endOf(child: ChildProcess): Promise<Ended> {
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout as NodeJS.ReadableStream),
    text(child.stderr as NodeJS.ReadableStream),
    once(child, 'exit'),
  ]);
  return { code: code ?? -1, stdout, stderr };
}

function works(command: string): boolean {
  try {
    // A program of one's own says how it is used, and may end with an error.
    if (/(^|\/)(docker|podman)$/.test(command)) execFileSync(command, ['info'], { stdio: 'ignore', timeout: 30_000 });
    else execFileSync('test', ['-x', command]);
    return true;
  } catch {
    return false;
  }
}
