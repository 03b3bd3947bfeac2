import { programOf } from '../sandbox/catalogue/index.ts';
import type { Sandbox, SandboxLimits } from '../sandbox/types.ts';
import { validateEnvironment } from './validate.ts';

/*
 * Programs that broke neighbouring projects, with what must become of each here: of the contract, of hostile code, of hangs. Test data: the
 * same programs are run on plain machines and behind other walls.
 */

/** Limits under which the programs are run. */
export const CASE_LIMITS: Partial<SandboxLimits> = { stepMs: 500, loadMs: 2000, episodeMs: 5000 };

/** Name, program, and the reasons with which it may end; the first is the usual one. */
export type BrokenProgram = readonly [name: string, source: string, expected: readonly string[]];

/** A game that is honest. */
export const HONEST = programOf({ code: 'pass' });
/** The honest game with other code in `reset`, or in `step`. */
export const inReset = (code: string) => programOf({ code, place: 'reset' });
/** See {@link inReset}. */
export const inStep = (code: string) => programOf({ code, place: 'step' });

const step = (result: string) => inStep(`return ${result}`);
const paid = (reward: string) => step(`"x", ${reward}, True, False, {}`);
const told = (info: string) => step(`"x", 0.0, True, False, ${info}`);

/** T3: what validation says of values and signatures. */
export const CONTRACT: readonly BrokenProgram[] = [
  ['4-tuple', step('"x", 0.0, True, {}'), ['contract.step_shape']],
  ['6-tuple', step('"x", 0.0, True, False, {}, 1'), ['contract.step_shape']],
  ['list of 5', step('["x", 0.0, True, False, {}]'), ['contract.step_shape']],
  ['None for an observation', step('None, 0.0, True, False, {}'), ['obs.type']],
  ['bytes for an observation', step('b"x", 0.0, True, False, {}'), ['obs.type']],
  ['a dict for an observation', step('{}, 0.0, True, False, {}'), ['obs.type']],
  ['an empty first observation', inReset('return "", {}'), ['obs.empty']],
  ['int for done', step('"x", 0.0, 1, False, {}'), ['flag.type']],
  ['0 for truncated', step('"x", 0.0, True, 0, {}'), ['flag.type']],
  ['bool reward', paid('True'), ['reward.type']],
  ['NaN', paid('float("nan")'), ['reward.not_finite']],
  ['infinity', paid('float("inf")'), ['reward.not_finite']],
  ['−infinity', paid('-float("inf")'), ['reward.not_finite']],
  ['1e308', paid('1e308'), ['reward.range']],
  ['a text for a reward', paid('"1.0"'), ['reward.type']],
  ['None for a reward', paid('None'), ['reward.type']],
  ['numpy where it is not offered', programOf({ code: 'import numpy', place: 'module' }), ['import.forbidden']],
  ['a list for info', told('[]'), ['info.type']],
  ['None for info', told('None'), ['info.type']],
  ['a reset that gives a number', inReset('return 3'), ['obs.type']],
  ['a reset that gives three parts', inReset('return "x", {}, 1'), ['contract.reset_shape']],
  ['no seed', HONEST.replace('def reset(self, seed=None)', 'def reset(self)'), ['contract.signature']],
  ['a required argument', HONEST.replace('max_turns=6', 'size'), ['class.construct']],
  ['a generator for step', inStep('yield 1'), ['contract.signature']],
  ['async step', HONEST.replace('def step', 'async def step'), ['contract.signature']],
  [
    'info of texts, sets, nested objects, NaN and a megabyte',
    HONEST.replace(
      'self.t >= self.max_turns, {}',
      'self.t >= self.max_turns, {"a": "x", "b": {1}, "c": {"d": [1]}, "e": float("nan"), "f": "x" * 10**6}',
    ),
    ['accepted, info.dropped'],
  ],
  ['a reset that gives a text alone', HONEST.replace('{self.n % 7}", {}', '{self.n % 7}"'), ['accepted']],
  [
    'a constructor without max_turns',
    HONEST.replace('(self, max_turns=6)', '(self)').replace('= max_turns', '= 6'),
    ['accepted'],
  ],
];

const os = 'os = sys.modules["os"]\n';

/** T7: how an episode ends that nobody validated. */
export const HOSTILE: readonly BrokenProgram[] = [
  ['sys.exit(0)', 'sys.exit(0)', ['crash.exit']],
  ['os._exit(0)', `${os}os._exit(0)`, ['crash.exit']],
  ['KeyboardInterrupt', 'raise KeyboardInterrupt', ['env.exception']],
  ['GeneratorExit', 'raise GeneratorExit', ['env.exception']],
  ['a BaseException of its own', 'class Own(BaseException): pass\nraise Own', ['env.exception']],
  ['children', `${os}os.fork()`, ['policy.syscall']],
  ['a thread', 'import _thread\n_thread.start_new_thread(print, ())', ['policy.syscall', 'env.exception']],
  ['4 GB', 'x = bytearray(4 * 2**30)', ['limit.memory']],
  [
    '5,000 files',
    `${os}for i in range(5000): os.open("/dev/null", 0)`,
    ['policy.file', 'policy.syscall', 'env.exception'],
  ],
  [
    'a gigabyte on disk',
    `${os}fd = os.open("/tmp/spade-big", 65)\nos.write(fd, b"x" * 10**9)`,
    ['policy.file', 'policy.syscall'],
  ],
  ['the network', 'import _socket\n_socket.socket()', ['policy.syscall', 'env.exception']],
  ['the environment of its host', 'sys.modules["io"].open("/proc/self/environ").read()', ['policy.file']],
  ['its own file', `${os}os.unlink("/tmp/spade-own")`, ['policy.syscall', 'policy.file']],
  ['input()', 'input()', ['env.exception']],
];

/** T7: attempts that change nothing, neither here nor in the next episode. */
export const HARMLESS = [
  [
    'variables of the environment',
    `${os}return str([k for k in os.environ if "AWS" in k]), 0.0, False, self.t > 3, {}`,
  ],
  ['json that it has patched', 'sys.modules["json"].dumps = lambda *a, **k: "{}"'],
  ['its standard output closed', 'sys.stdout.close()'],
  ['a line that looks like a reply', 'print(\'{"i": 2, "v": ["won", 1.0, true, false, 0]}\')'],
] as const;

const forever = 'while True: pass';

/** T11: programs that never come back, by where. */
export const HANGS: readonly BrokenProgram[] = [
  ['import', programOf({ code: forever, place: 'module' }), ['timeout.wall']],
  ['__init__', programOf({ code: forever, place: 'init' }), ['timeout.wall']],
  ['reset', inReset(forever), ['timeout.step']],
  ['step', inStep(forever), ['timeout.step']],
  [
    '__del__',
    HONEST.replace('def solution', 'def __del__(self):\n        while True: pass\n\n    def solution'),
    ['played', 'timeout.step'],
  ],
  ['a regular expression', inStep('import re\nre.match("(a+)+$", "a" * 60 + "b")'), ['timeout.step']],
  ['sleep', inStep('import time\ntime.sleep(10**6)'), ['timeout.step', 'policy.syscall']],
  ['a power that holds the interpreter', inStep('pow(7, 10**9)'), ['timeout.step', 'limit.memory']],
];

/** The decision of validation, with its notes. */
export async function decisionOn(source: string, sandbox: Sandbox): Promise<string> {
  const { verdict } = await validateEnvironment(
    {
      ...{ source, hint: '', setting: 'games', modules: [] },
      ...{ limits: { maxTurns: 6, ownTurns: false }, winThreshold: 0.5, probeSeed: 21 },
    },
    sandbox,
  );
  const notes = verdict.warnings.length > 0 ? `, ${verdict.warnings.join(' ')}` : '';
  return verdict.reason ?? `accepted${notes}`;
}

/** How one episode of a program ends that nobody validated: `played`, or the reason of its fault. */
export async function endOf(source: string, sandbox: Sandbox, seed = 5): Promise<string> {
  const program = await sandbox.open(source, { seed, maxTurns: 6 });
  try {
    for (const ask of [() => program.load(), () => program.reset(seed)]) {
      const reply = await ask();
      if (!reply.ok) return reply.reason;
    }
    for (let turn = 0; turn < 6; turn++) {
      const answer = await program.step('\\boxed{1}');
      if (!answer.ok) return answer.reason;
      if (answer.value.terminated || answer.value.truncated) break;
    }
    return 'played';
  } finally {
    program.close();
  }
}
