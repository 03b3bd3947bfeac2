import { readFileSync } from 'node:fs';
import { InvalidInput } from '../shared/contracts/index.ts';

/** A text file that the command line names. @throws {InvalidInput} when it cannot be read */
export function readTextFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const reason =
      (cause as NodeJS.ErrnoException).code === 'ENOENT' ? 'there is no such file' : (cause as Error).message;
    throw new InvalidInput(file, [reason], { cause });
  }
}
