import { Command, Option } from 'commander';
import type { Verdict } from '../../shared/contracts/index.ts';
import { deriveSeed } from '../../shared/domain/seeds.ts';
import { validateEnvironment } from '../../shared/validation/index.ts';
import { EXIT } from '../exit-codes.ts';
import { wholeNumber, withExamples } from '../options.ts';
import { readTextFile } from '../read-file.ts';
import { printable } from '../text-table.ts';
import { withSandbox } from '../with-sandbox.ts';

interface Options {
  readonly json?: true;
  readonly hint?: string;
  readonly setting: 'games' | 'tool-use';
  readonly maxTurns: number;
  readonly seed: number;
}

/** A file and the judgement of it; null when the host, not the program, ended the validation. */
interface Judged {
  readonly file: string;
  readonly verdict: Verdict | null;
}

/** `spade validate FILE…` */
export function validateVerb(): Command {
  const command = new Command('validate')
    .description(
      'Judge environment programs as the run does, in the sandbox: layer by layer, up to the first that refuses.',
    )
    .argument('<files...>', 'Python programs, one environment each')
    .option('--json', 'print the full verdicts as JSON')
    .option('--hint <file>', 'hint that must not give the answer away')
    .addOption(new Option('--setting <setting>', 'kind of environment').choices(['games', 'tool-use']).default('games'))
    .option('--max-turns <n>', 'turns after which an episode must have ended', wholeNumber(1, 100), 8)
    .option('--seed <n>', 'root of the probe seeds', wholeNumber(0, 0xffffffff), 0)
    .action(async (files: string[], options: Options) => {
      const judged = await judgeFiles(files, options);
      console.log(options.json ? JSON.stringify(judged, null, 2) : judged.map(verdictText).join('\n'));
      process.exitCode = statusOf(judged);
    });
  return withExamples(command, [
    'validate my-game.py',
    'validate games/*.py --json > verdicts.json',
    'validate tools.py --setting tool-use --max-turns 25',
  ]);
}

function statusOf(judged: readonly Judged[]): number {
  if (judged.some(({ verdict }) => verdict === null)) return EXIT.unavailable;
  return judged.every(({ verdict }) => verdict?.accepted) ? EXIT.done : EXIT.negative;
}

async function judgeFiles(files: readonly string[], options: Options): Promise<Judged[]> {
  const sources = files.map((file) => ({ file, source: readTextFile(file) }));
  const hint = options.hint === undefined ? '' : readTextFile(options.hint).trim();
  return withSandbox(async (sandbox) => {
    const judged: Judged[] = [];
    for (const { file, source } of sources) {
      const { setting, maxTurns } = options;
      const probeSeed = deriveSeed('validate', options.seed);
      const input = { source, hint, setting, limits: { maxTurns }, winThreshold: 0.5, probeSeed };
      const { verdict, infraLost } = await validateEnvironment(input, sandbox);
      judged.push({ file, verdict: infraLost ? null : verdict });
    }
    return judged;
  });
}

/** A verdict for people: the decision, the layers passed, and why it stopped. */
export function verdictText({ file, verdict }: Judged): string {
  if (verdict === null) return `LOST      ${file}\n  the sandbox was lost; try again`;
  const passed = verdict.layers.filter((layer) => layer.passed).map(({ layer }) => layer);
  const last = verdict.layers.at(-1);
  const lines = [
    `${verdict.accepted ? 'accepted' : 'REFUSED '}  ${file}${verdict.title === '' ? '' : `  (${printable(verdict.title)})`}`,
    `  passed    ${passed.join(', ') || 'nothing'}`,
    ...(verdict.accepted
      ? []
      : [`  refused   ${last?.layer ?? 'static'}: ${verdict.reason}`, `  because   ${printable(verdict.detail)}`]),
    ...(last?.passed === false && last.evidence.excerpt !== undefined
      ? [`  seen      ${printable(last.evidence.excerpt)}`]
      : []),
    ...(verdict.warnings.length > 0 ? [`  warnings  ${verdict.warnings.join(', ')}`] : []),
    `  isolation ${verdict.isolation.join(', ') || 'none'}`,
  ];
  return lines.join('\n');
}
