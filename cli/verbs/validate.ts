import { availableParallelism } from 'node:os';
import { Command, Option } from 'commander';
import { readExperimentFile } from '../../local/index.ts';
import type { SandboxLimits } from '../../shared/sandbox/index.ts';
import { EXIT } from '../exit-codes.ts';
import { inOrder } from '../in-order.ts';
import { type JudgeRules, judgeOffered, rulesOf } from '../judge-programs.ts';
import { countPrograms, offeredPrograms } from '../offered-programs.ts';
import { moduleNames, wholeNumber, withExamples } from '../options.ts';
import { createProgressBar } from '../progress-bar.ts';
import { readTextFile } from '../read-file.ts';
import { type Judged, judgedJson, judgedLine, summaryLine, verdictCard } from '../verdict-view.ts';
import { withSandbox } from '../with-sandbox.ts';

interface Options {
  readonly json?: true;
  readonly card?: true;
  readonly jobs: number;
  readonly experiment?: string;
  readonly hint?: string;
  readonly setting?: JudgeRules['setting'];
  readonly maxTurns?: number;
  readonly modules?: string[];
  readonly seed?: number;
}

/** Turns, threshold and the rest without an experiment: what the released programs were written for. */
const DEFAULT_RULES: JudgeRules = {
  setting: 'auto',
  limits: { maxTurns: 25, ownTurns: true },
  modules: [],
  winThreshold: 0.5,
  seed: 0,
  hint: '',
};

/** `spade validate FILE|FOLDER|POOL…` */
export function validateVerb(): Command {
  const command = new Command('validate')
    .description(
      'Judge environment programs as the run does, in the sandbox: layer by layer, up to the first that refuses. One line each.',
    )
    .argument('<paths...>', 'programs (.py), folders of them, pools (.jsonl, one object with "code" a line)')
    .option('--json', 'print one JSON object a line: file, verdict, reason, layers, evidence, ms and more')
    .option('--card', 'print what each layer saw and how long it took')
    .option('--jobs <n>', 'validations at once', wholeNumber(1, 64), Math.min(8, availableParallelism()))
    .option('--experiment <file>', 'judge by the setting, turns, limits and modules of this experiment file')
    .option('--hint <file>', 'hint that must not give the answer away')
    .addOption(
      new Option('--setting <setting>', 'kind of environment; auto looks for the base class of tool use').choices([
        ...['auto', 'games', 'tool-use'],
      ]),
    )
    .option('--max-turns <n>', 'turns after which an episode must have ended', wholeNumber(1, 100))
    .option('--modules <names>', 'modules beyond the standard library that programs may import', moduleNames)
    .option('--seed <n>', 'root of the probe seeds', wholeNumber(0, 0xffffffff))
    .action(async (paths: string[], options: Options) => {
      process.exitCode = await validateAll(paths, options);
    });
  return withExamples(command, [
    'validate my-game.py --card',
    'validate games/ --json > verdicts.jsonl',
    'validate pool.jsonl --jobs 8 --modules numpy,math_verify',
    'validate tools.py --experiment examples/learning.yaml',
  ]);
}

async function validateAll(paths: readonly string[], options: Options): Promise<number> {
  const total = await countPrograms(paths);
  const { rules, limits } = rulesFrom(options);
  const bar = createProgressBar('validate', total);
  const outcomes: Record<Judged['outcome'], number> = { accepted: 0, refused: 0, corrupt: 0, lost: 0 };
  const reasons: Record<string, number> = {};
  const show = options.json ? judgedJson : options.card ? verdictCard : judgedLine;
  await withSandbox(
    async (sandbox) => {
      bar.show(0, {});
      let done = 0;
      for await (const judged of inOrder(offeredPrograms(paths), options.jobs, (offered) =>
        judgeOffered(offered, rules, sandbox),
      )) {
        outcomes[judged.outcome] += 1;
        const reason = judged.verdict?.reason;
        if (reason) reasons[reason] = (reasons[reason] ?? 0) + 1;
        bar.clear();
        console.log(show(judged));
        bar.show(++done, outcomes);
      }
    },
    options.jobs,
    { extraModules: rules.modules, ...(limits && { limits }) },
  );
  bar.clear();
  if (total !== 1) console.error(total === 0 ? 'no programs there' : summaryLine(outcomes, reasons));
  if (outcomes.lost > 0) return EXIT.unavailable;
  return outcomes.accepted === total ? EXIT.done : EXIT.negative;
}

/** The experiment's rules, or the defaults, with what the command line says over them. */
function rulesFrom(options: Options): { rules: JudgeRules; limits: Partial<SandboxLimits> | null } {
  const config = options.experiment === undefined ? null : readExperimentFile({ file: options.experiment });
  const base = config === null ? DEFAULT_RULES : rulesOf(config);
  const { setting = base.setting, modules = base.modules, seed = base.seed } = options;
  const limits = { ...base.limits, maxTurns: options.maxTurns ?? base.limits.maxTurns };
  const hint = options.hint === undefined ? '' : readTextFile(options.hint).trim();
  return { rules: { ...base, setting, modules, seed, limits, hint }, limits: config === null ? null : config.limits };
}
