import { createInterface } from 'node:readline';
import { Command } from 'commander';
import { episodeReturn } from '../../shared/domain/returns.ts';
import type { Reply, SandboxedEnvironment } from '../../shared/sandbox/index.ts';
import { EXIT } from '../exit-codes.ts';
import { wholeNumber, withExamples } from '../options.ts';
import { readTextFile } from '../read-file.ts';
import { printableLines } from '../text-table.ts';
import { withSandbox } from '../with-sandbox.ts';

interface Options {
  readonly seed: number;
  readonly maxTurns: number;
  readonly raw?: true;
}

/** `spade play FILE` */
export function playVerb(): Command {
  const command = new Command('play')
    .description('Play one episode of an environment yourself, in the sandbox. An empty line or Ctrl-D gives up.')
    .argument('<file>', 'Python program with one environment')
    .option('--seed <n>', 'which instance', wholeNumber(0, 0xffffffff), 1)
    .option('--max-turns <n>', 'turns before the episode is cut', wholeNumber(1, 100), 8)
    .option('--raw', 'send lines as they are; without it a line without \\boxed{} is put into one')
    .action(async (file: string, options: Options) => {
      const source = readTextFile(file);
      process.exitCode = await withSandbox(async (sandbox) => {
        const environment = await sandbox.open(source, { seed: options.seed, maxTurns: options.maxTurns });
        try {
          return await playEpisode(environment, options, lines());
        } finally {
          environment.close();
        }
      });
    });
  return withExamples(command, [
    'play my-game.py',
    'play my-game.py --seed 7',
    'printf "3\\n5\\n" | spade play my-game.py',
  ]);
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
  console.log(`${printableLines(first.value.observation)}\n`);
  const rewards: number[] = [];
  let terminated = false;
  for (let turn = 1; turn <= options.maxTurns && !terminated; turn++) {
    process.stdout.write(`[${turn}/${options.maxTurns}] > `);
    const answer = await answers.next();
    if (answer.done || answer.value.trim() === '') break;
    const reply = await environment.step(
      options.raw || answer.value.includes('\\boxed{') ? answer.value : `\\boxed{${answer.value}}`,
    );
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
