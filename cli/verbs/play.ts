import { createInterface } from 'node:readline';
import { Command, Option } from 'commander';
import { episodeReturn } from '../../shared/domain/returns.ts';
import type { Reply, SandboxedEnvironment } from '../../shared/sandbox/index.ts';
import { EXIT } from '../exit-codes.ts';
import { findEnvironment, openExperiment, readEnvironments } from '../experiment-data.ts';
import { homeOption, moduleNames, wholeNumber, withExamples } from '../options.ts';
import { readTextFile } from '../read-file.ts';
import { type EpisodeChoice, type Replayed, replayEpisodes } from '../replay-episodes.ts';
import { printable, printableLines } from '../text-table.ts';
import { withSandbox } from '../with-sandbox.ts';

interface Options extends EpisodeChoice {
  readonly home: string;
  readonly seed: number;
  readonly maxTurns: number;
  readonly raw?: true;
  readonly modules?: string[];
  readonly replay?: true;
  readonly show?: true;
  readonly experiment?: string;
}

/** `spade play FILE`, `spade play ENV --replay` */
export function playVerb(): Command {
  const command = new Command('play')
    .description(
      'Play one episode of an environment yourself, in the sandbox (an empty line or Ctrl-D gives up), or play recorded episodes again.',
    )
    .argument(
      '<file|env>',
      'Python program with one environment; with --replay the hash of an environment, or how it begins',
    )
    .option('--seed <n>', 'which instance', wholeNumber(0, 0xffffffff), 1)
    .option('--max-turns <n>', 'turns before the episode is cut', wholeNumber(1, 100), 25)
    .option('--raw', 'send lines as they are; without it a line of a game is put into \\boxed{}')
    .option('--modules <names>', 'modules beyond the standard library that the program may import', moduleNames)
    .option('--replay', 'play its recorded episodes again and compare every observation, reward and end')
    .option('--show', 'with --replay, print what was said and paid')
    .option('--iteration <n>', 'with --replay, only of this iteration', wholeNumber(1, 9999))
    .addOption(new Option('--arm <arm>', 'with --replay, only of this arm').choices(['hinted', 'unhinted']))
    .option('--index <n>', 'with --replay, only this episode', wholeNumber(0, 255))
    .option('--experiment <name>', 'with --replay, an experiment of the home; without it, the one touched last')
    .addOption(homeOption())
    .action(async (what: string, options: Options) => {
      process.exitCode = await (options.replay ? replay(what, options) : play(what, options));
    });
  return withExamples(command, [
    'play my-game.py',
    'play my-game.py --seed 7',
    'printf "3\\n5\\n" | spade play my-game.py',
    'play 3fa9c1 --replay',
    'play 3fa9c1 --replay --iteration 2 --arm hinted --index 0 --show',
  ]);
}

async function play(file: string, options: Options): Promise<number> {
  const source = readTextFile(file);
  const { seed, maxTurns, modules = [] } = options;
  return withSandbox(
    async (sandbox) => {
      const environment = await sandbox.open(source, { seed, maxTurns, ownTurns: true });
      try {
        return await playEpisode(environment, options, lines());
      } finally {
        environment.close();
      }
    },
    1,
    { extraModules: modules },
  );
}

/** Plays to the end; the exit status is negative when the program broke. */
async function playEpisode(
  environment: SandboxedEnvironment,
  options: Options,
  answers: AsyncIterator<string>,
): Promise<number> {
  const loaded = await environment.load();
  if (!loaded.ok) return broken(loaded);
  const first = await environment.reset(options.seed);
  if (!first.ok) return broken(first);
  for (const tool of loaded.value.tools) console.log(printable(JSON.stringify(tool)));
  console.log(`${printableLines(first.value.observation)}\n`);
  const asIs = (line: string) => options.raw || loaded.value.toolUse || line.includes('\\boxed{');
  const rewards: number[] = [];
  let terminated = false;
  for (let turn = 1; turn <= options.maxTurns && !terminated; turn++) {
    process.stdout.write(`[${turn}/${options.maxTurns}] > `);
    const answer = await answers.next();
    if (answer.done || answer.value.trim() === '') break;
    const reply = await environment.step(asIs(answer.value) ? answer.value : `\\boxed{${answer.value}}`);
    if (!reply.ok) return broken(reply);
    console.log(`${printableLines(reply.value.observation)}\n  reward ${reply.value.reward}\n`);
    rewards.push(reply.value.reward);
    terminated = reply.value.terminated;
    if (reply.value.truncated) break;
  }
  console.log(`\n${terminated ? 'ended' : 'cut'}: return ${episodeReturn({ rewards, terminated }, 'final')}`);
  return EXIT.done;
}

function broken(reply: Extract<Reply<never>, { ok: false }>): number {
  console.error(`\nthe program broke: ${reply.reason}\n  ${printableLines(reply.detail)}`);
  return reply.outcome === 'infra_lost' ? EXIT.unavailable : EXIT.negative;
}

function lines(): AsyncIterator<string> {
  return createInterface({ input: process.stdin })[Symbol.asyncIterator]();
}

/** Done when every episode that can be compared is identical. */
async function replay(env: string, options: Options): Promise<number> {
  const experiment = openExperiment(options.home, options.experiment);
  const { hash } = findEnvironment(readEnvironments(experiment), env).card;
  const { limits } = experiment.config;
  const counts = { identical: 0, different: 0, unknown: 0 };
  await withSandbox(
    async (sandbox) => {
      for await (const replayed of replayEpisodes(experiment, hash, options, sandbox)) {
        counts[replayed.replay.kind] += 1;
        console.log(replayLine(replayed));
        if (options.show) console.log(transcript(replayed));
      }
    },
    1,
    { limits, extraModules: limits.modules },
  );
  const { identical, different, unknown } = counts;
  console.log(`${identical} identical, ${different} different, ${unknown} that cannot be compared`);
  return different === 0 ? EXIT.done : EXIT.negative;
}

/** One line on a replayed episode. */
export function replayLine({ episode, replay: shown }: Replayed): string {
  const { iteration, arm, index, seed, turns } = episode;
  const said =
    shown.kind === 'different'
      ? `different at turn ${shown.turn}: ${printable(shown.what)}`
      : shown.kind === 'unknown'
        ? `not compared: ${printable(shown.why)}`
        : 'identical';
  return `iteration ${iteration}  ${arm.padEnd(8)}  ${String(index).padStart(2)}  seed ${String(seed).padStart(10)}  ${turns.length} turns  ${said}`;
}

function transcript({ episode }: Replayed): string {
  return episode.turns
    .map(
      ({ observation, text, reward }) =>
        `${printableLines(observation)}\n> ${printableLines(text)}\n  reward ${reward}\n`,
    )
    .join('\n');
}
