import { CommanderError } from 'commander';
import { describeError } from './describe-error.ts';
import { EXIT, exitCodeOf } from './exit-codes.ts';
import { createProgram } from './program.ts';

const program = createProgram().exitOverride();
for (const verb of program.commands) verb.exitOverride();

try {
  await program.parseAsync();
} catch (error) {
  // Commander has already printed its own message; help and version are no errors.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? EXIT.done : EXIT.input;
  else {
    console.error(describeError(error));
    process.exitCode = exitCodeOf(error);
  }
}
