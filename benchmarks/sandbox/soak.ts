/*
 * `npm run soak:sandbox`: many episodes, one in twenty of them hostile, and nothing may grow.
 *
 *   node --expose-gc benchmarks/sandbox/soak.ts [--episodes 100000] [--at-once 8]
 *
 * Exit code 0 when every episode ended as its program must (the mix of errors is the mix that was injected) and resident memory,
 * descriptors and dead children are where they were after the first tenth.
 */
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { type HostState, harmToHost, hostState } from '../../shared/sandbox/catalogue/host.ts';
import { programOf, ROWS } from '../../shared/sandbox/catalogue/index.ts';
import { playOut } from '../../shared/sandbox/catalogue/play.ts';
import { type Sandbox, startSandbox } from '../../shared/sandbox/index.ts';
import { table } from './measure.ts';

const { values } = parseArgs({
  options: { episodes: { type: 'string', default: '100000' }, 'at-once': { type: 'string', default: '8' } },
});
const EPISODES = Number(values.episodes);
const AT_ONCE = Number(values['at-once']);
const PARTS = 10;
const HOSTILE_EVERY = 20;
/** Rows of the catalogue, one fault each; the last one is rare because it costs its whole deadline. */
const HOSTILE = ['A01b', 'C07a', 'C09a', 'D02a', 'D06a', 'D06c', 'D06d', 'A08', 'E01', 'E06b', 'A10a', 'C02', 'A04d'];
const STEP_MS = 400;
const MEGABYTE = 2 ** 20;
/** Megabytes that the supervisor may have gained since the first tenth: in its heap, and in all, which breathes. */
const SPARE_HEAP_MB = 2;
const SPARE_MB = 24;
const SETTLE_MS = 1000;
/** Garbage that waits for a collection is no leak, but keeps its pages for long; so it is collected after so many episodes. */
const COLLECT_EVERY = 2000;

interface Case {
  readonly name: string;
  readonly source: string;
  readonly ends: readonly string[];
}

const honest: Case = { name: 'honest', source: programOf({ code: 'pass' }), ends: ['played'] };
const hostile: readonly Case[] = HOSTILE.map((id) => {
  const row = ROWS.find((candidate) => candidate.id === id);
  if (row === undefined) throw new Error(`no row ${id}`);
  return { name: `${id} ${row.title}`, source: programOf(row), ends: row.err };
});

function caseOf(index: number): Case {
  const [turn, rest] = [Math.floor(index / HOSTILE_EVERY), index % HOSTILE_EVERY];
  return rest === HOSTILE_EVERY - 1 ? (hostile[turn % hostile.length] ?? honest) : honest;
}

/** How often each program was played, and how often it ended otherwise than it must. */
class Tally {
  readonly #counts = new Map<string, { injected: number; wrong: Record<string, number> }>();

  public add({ name, ends }: Case, seen: string): void {
    const count = this.#counts.get(name) ?? { injected: 0, wrong: {} };
    count.injected += 1;
    if (!ends.includes(seen)) count.wrong[seen] = (count.wrong[seen] ?? 0) + 1;
    this.#counts.set(name, count);
  }

  public get wrong(): number {
    return [...this.#counts.values()].flatMap(({ wrong }) => Object.values(wrong)).reduce((sum, n) => sum + n, 0);
  }

  public rows(): string[][] {
    return [...this.#counts].map(([name, { injected, wrong }]) => [
      name,
      String(injected),
      Object.entries(wrong)
        .map(([seen, n]) => `${n} × ${seen}`)
        .join(', ') || 'all as they must',
    ]);
  }
}

/** Plays `from` to `to` and returns the episodes a second. */
async function play(sandbox: Sandbox, from: number, to: number, tally: Tally): Promise<number> {
  const since = performance.now();
  let next = from;
  const worker = async (): Promise<void> => {
    while (next < to) {
      const index = next++;
      if (index % COLLECT_EVERY === 0) global.gc?.();
      const program = caseOf(index);
      tally.add(program, (await playOut(sandbox, program.source, index)).seen);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return ((to - from) * 1000) / (performance.now() - since);
}

async function atRest(): Promise<HostState & { residentMb: number; heapMb: number }> {
  // Twice, with time between: pages of the heap go back to the system after a collection, not in it.
  for (const _ of [1, 2]) {
    global.gc?.();
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  }
  const { rss, heapUsed } = process.memoryUsage();
  return { ...hostState(), residentMb: rss / MEGABYTE, heapMb: heapUsed / MEGABYTE };
}

// Programs fail again and again on purpose: quarantine would end the soak.
const sandbox = await startSandbox({
  limits: { stepMs: STEP_MS },
  slots: 2 * AT_ONCE,
  quarantineAfter: Number.POSITIVE_INFINITY,
});
console.log(`${cpus().length} × ${cpus()[0]?.model}, ${sandbox.isolation.interpreter}, Node ${process.version}`);
console.log(`${EPISODES} episodes, ${AT_ONCE} at once, one in ${HOSTILE_EVERY} hostile`);
const tally = new Tally();
let first: Awaited<ReturnType<typeof atRest>> | undefined;
let complaints: string[] = [];
for (let part = 1; part <= PARTS; part++) {
  const rate = await play(sandbox, (EPISODES * (part - 1)) / PARTS, (EPISODES * part) / PARTS, tally);
  const now = await atRest();
  first ??= now;
  complaints = harmToHost(first, now).map(({ complaint }) => complaint);
  if (now.residentMb > first.residentMb + SPARE_MB || now.heapMb > first.heapMb + SPARE_HEAP_MB)
    complaints.push('the supervisor grew');
  const memory = `supervisor ${now.residentMb.toFixed(0)} MB (heap ${now.heapMb.toFixed(1)}), fork server ${now.forkServerMb.toFixed(1)} MB`;
  const rest = `${now.descriptors} descriptors, ${now.zombies} zombies; load ${loadavg()[0]?.toFixed(1)}`;
  console.log(`${(EPISODES * part) / PARTS} played, ${rate.toFixed(0)}/s; ${memory}, ${rest}`);
}
await sandbox.close();
console.log(`\n${table(tally.rows())}\n`);
for (const complaint of complaints) console.log(complaint);
const passed = complaints.length === 0 && tally.wrong === 0;
console.log(
  passed ? 'flat, and the errors are those that were injected' : `NOT PASSED: ${tally.wrong} ended otherwise`,
);
process.exit(passed ? 0 : 1);
