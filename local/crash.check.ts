import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ScriptedPolicy, startScriptedPolicy } from './testing/scripted-policy.ts';

/** A run of two small iterations takes a few seconds; the limit is for a busy machine. */
const LIMIT_MS = 600_000;

/** Who writes, plays and trains: answers by a script, or the embedded policy in its server and the trainer itself. */
const CASTS = ['scripted', 'embedded'] as const;

const PHASES = ['design', 'rollout', 'train', 'publish'];

interface Event {
  readonly phase?: string;
  readonly iteration?: number;
  readonly result?: { readonly stopReason: string; readonly iterations: number };
}

/** Starts the host with these arguments; `onEvent` may kill it. Resolves with the events when it has ended. */
function host(
  args: readonly string[],
  onEvent: (event: Event, child: ChildProcess) => void = () => {},
): Promise<Event[]> {
  const script = join(import.meta.dirname, 'testing/run-host.ts');
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const events: Event[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    const event = JSON.parse(line) as Event;
    events.push(event);
    onEvent(event, child);
  });
  return new Promise((resolve) => child.once('close', () => resolve(events)));
}

/** Seconds and memory as measured: `timings/` of an iteration, `timings.json` of a training job. */
const isTiming = (entry: { name: string; parentPath: string }) =>
  entry.name === 'timings.json' || entry.parentPath.endsWith('/timings');

/** Everything that must not depend on how often the host was killed: all objects of three stores, but times. */
function artefacts(home: string): ReadonlyMap<string, string> {
  const root = join(home, 'crash');
  const files = ['environments', 'episodes', 'policies'].flatMap((store) =>
    readdirSync(join(root, store), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.includes('partial') && !isTiming(entry))
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  return new Map(
    files
      .sort()
      .map((path) => [path.slice(root.length), createHash('sha256').update(readFileSync(path)).digest('hex')]),
  );
}

describe.each(CASTS)('with the %s policy and trainer, a host that is killed with SIGKILL and started again', (cast) => {
  let folder: string;
  let policy: ScriptedPolicy | undefined;
  let undisturbed: ReadonlyMap<string, string>;

  const argumentsFor = (home: string) => [
    join(folder, 'crash.yaml'),
    join(folder, home),
    ...(cast === 'scripted' ? [cast] : []),
  ];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'spade-crash-'));
    mkdirSync(join(folder, 'model'));
    writeFileSync(join(folder, 'model/config.json'), '{}');
    writeFileSync(join(folder, 'corpus.jsonl'), '{"text": "Numbers can be added in any order."}\n');
    if (cast === 'scripted') policy = await startScriptedPolicy();
    const serving = policy
      ? `{ policy: '${policy.uri}', initialPolicy: model }`
      : '{ policy: auto, initialPolicy: tiny }';
    writeFileSync(
      join(folder, 'crash.yaml'),
      `experiment: crash
profile: tiny
iterations: 2
skills: [Mathematical Reasoning, Optimization]
skillsPerWindow: 2
serving: ${serving}
grounding: { corpus: corpus.jsonl }
evaluation: { every: ${policy ? 0 : 1}, instances: 24, tolerance: 1 }
duplicates: { similarity: 1 }
designer: { environments: 6 }
agent: { episodes: 4 }
limits: { environmentsPerShard: 3 }
`,
    );
    const events = await host(argumentsFor('undisturbed'));
    expect(events.at(-1)?.result).toMatchObject({ stopReason: 'finished', iterations: 2 });
    undisturbed = artefacts(join(folder, 'undisturbed'));
  }, LIMIT_MS);

  afterAll(async () => {
    await policy?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(PHASES)(
    'in phase %s ends with the artefacts of an undisturbed run',
    async (phase) => {
      const killed = await host(argumentsFor(phase), (event, child) => event.phase === phase && child.kill('SIGKILL'));
      expect(killed.at(-1)?.result).toBeUndefined();
      const resumed = await host(argumentsFor(phase));
      expect(resumed.at(-1)?.result).toMatchObject({ stopReason: 'finished' });
      expect(artefacts(join(folder, phase))).toEqual(undisturbed);
    },
    LIMIT_MS,
  );

  test('an undisturbed run makes records, batches, manifests, cards and episodes', () => {
    const names = [...undisturbed.keys()].join('\n');
    for (const part of [
      '0002/record.json',
      '0002/batch/samples.jsonl.gz',
      'v0002/manifest.json',
      'card.json',
      '.jsonl.gz',
    ]) {
      expect(names).toContain(part);
    }
  });
});
