import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { DEFAULT_HOME } from '../local/home/layout.ts';

/** `--home DIR`, the same in every verb that reads or writes experiments. */
export function homeOption(): Option {
  return new Option('--home <dir>', 'folder that holds the experiments').default(DEFAULT_HOME);
}

/** Name of an experiment in the home; the one touched last without it. */
export function experimentArgument(): Argument {
  return new Argument('[experiment]', 'name of an experiment in the home; without it, the one touched last');
}

/** A whole number in a range, for option values. */
export function wholeNumber(low: number, high: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= low && value <= high) return value;
    throw new InvalidArgumentError(`expected a whole number from ${low} to ${high}`);
  };
}

/** Names of Python modules, separated by commas, for option values. */
export function moduleNames(text: string): string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.every((name) => /^[A-Za-z_]\w*$/.test(name))) return names;
  throw new InvalidArgumentError('expected names of Python modules, separated by commas');
}

/** Adds examples below a verb's help. */
export function withExamples(command: Command, examples: readonly string[]): Command {
  return command.addHelpText('after', `\nExamples:\n${examples.map((line) => `  $ spade ${line}`).join('\n')}`);
}
