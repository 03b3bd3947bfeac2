import { programOf, type Row } from './row.ts';

const honest = programOf({ code: 'pass' });
const replaced = (id: string, title: string, from: string, to: string, reject: Row['reject']): Row => {
  if (!honest.includes(from)) throw new Error(`row ${id} does not apply`);
  return { id, title, code: honest.replace(from, to), reject, err: ['played'], noTrigger: true };
};
const OBSERVATION = 'f"Guess a number below 1000; its remainder by 7 is {self.n % 7}"';
const NUMBER = 'self.n = self.rng.randint(1, 1000)';
const WON = 'won = action == "\\\\boxed{%d}" % self.n';

/** F and G: determinism, and programs that are no use as environments. */
export const WORTH: readonly Row[] = [
  replaced('F01a', 'depends on the time', NUMBER, 'import time\n        self.n = int(time.time())', [
    'nondeterministic',
    'state.reset_leak',
  ]),
  replaced(
    'F01b',
    'depends on the day',
    NUMBER,
    'import datetime\n        self.n = datetime.date.today().toordinal()',
    ['nondeterministic'],
  ),
  replaced('F01c', 'depends on the process', NUMBER, 'self.n = sys.modules["os"].getpid()', ['nondeterministic']),
  replaced('F01d', 'depends on addresses', NUMBER, 'self.n = id(self)', ['nondeterministic', 'state.reset_leak']),
  replaced('F01e', 'depends on urandom', NUMBER, 'self.n = random.SystemRandom().randint(1, 1000)', [
    'nondeterministic',
    'state.reset_leak',
  ]),
  replaced('F01f', 'depends on uuid4', NUMBER, 'import uuid\n        self.n = uuid.uuid4().int % 1000', [
    'nondeterministic',
    'state.reset_leak',
  ]),
  replaced('F02', 'global random, never seeded', NUMBER, 'self.n = random.randint(1, 1000)', [
    'nondeterministic',
    'state.reset_leak',
  ]),
  replaced(
    'F03',
    'order of a set of texts',
    NUMBER,
    'self.n = [len(w) * 100 + ord(w[0]) for w in {"ab", "cde", "fghi", "jklmn", "opqrst"}][0] + self.rng.randint(0, 6)',
    ['nondeterministic'],
  ),
  replaced('F04', 'one puzzle for all seeds', NUMBER, 'self.n = 437', ['seed.ignored']),
  replaced(
    'F06',
    'unlike itself after three steps',
    'won = action',
    'self.n += sys.modules["os"].getpid() if self.t > 3 else 0\n        wonder = self.n\n        if self.t > 3: return str(wonder), 0.0, False, self.t > 5, {}\n        won = action',
    ['nondeterministic', 'state.reset_leak'],
  ),
  replaced(
    'D10',
    'class-level state grows',
    NUMBER,
    'RowEnv.games = getattr(RowEnv, "games", 0) + 1\n        self.n = self.rng.randint(1, 900) + RowEnv.games',
    ['state.reset_leak'],
  ),
  replaced('G01a', 'any action wins', WON, 'won = True', ['degenerate.always_win']),
  replaced('G01b', 'the empty answer wins', WON, 'won = action.replace("\\\\boxed{", "").rstrip("}") in str(self.n)', [
    'degenerate.always_win',
  ]),
  replaced('G01c', 'a constant wins', WON, 'won = action == "\\\\boxed{%d}" % self.n or action == "\\\\boxed{1}"', [
    'degenerate.always_win',
  ]),
  replaced('G02', 'cannot be won', WON, 'won = False', ['degenerate.unwinnable']),
  replaced('G03a', 'never ends', 'float(won), won, not won and self.t >= self.max_turns', 'float(won), False, False', [
    'lifecycle.no_termination',
    'degenerate.unwinnable',
  ]),
  replaced(
    'G03b',
    'is cut at its first turn',
    'float(won), won, not won and self.t >= self.max_turns',
    'float(won), False, True',
    ['lifecycle.immediate', 'degenerate.unwinnable'],
  ),
  replaced('G04', 'tells the answer', OBSERVATION, 'f"Guess a number below 1000. The secret number is {self.n}."', [
    'leak.answer_in_obs',
  ]),
  replaced('G07', 'pays by length', WON, 'won = len(action) > 500', ['degenerate.unwinnable', 'degenerate.always_win']),
  {
    ...replaced('E04', 'reward out of range', 'float(won), won', 'float(won) * 1e9 - 1e9, won', ['reward.range']),
    err: ['reward.range'],
  },
  replaced('E14', 'odd actions crash it', WON, 'won = action.split("{")[1].split("}")[0] == str(self.n)', [
    'robust.action_crash',
  ]),
];
