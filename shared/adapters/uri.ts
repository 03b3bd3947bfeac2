import { fileURLToPath } from 'node:url';
import { InvalidInput } from '../contracts/index.ts';

/** A URI taken apart: for `file` an absolute path, for the others what follows `scheme://`. */
export interface Location<S extends string> {
  readonly scheme: S;
  readonly location: string;
}

/**
 * Splits a URI and checks its scheme.
 *
 * @param what - what the URI is for, as the error message names it
 * @throws {InvalidInput} with the schemes that would do
 */
export function locationOf<const S extends string>(uri: string, what: string, schemes: readonly S[]): Location<S> {
  const match = /^([a-z][a-z0-9]*):\/\/(.+)$/.exec(uri);
  const scheme = schemes.find((s) => s === match?.[1]);
  if (match === null || scheme === undefined) {
    throw new InvalidInput(`${what} URI ${JSON.stringify(uri)}`, [
      `expected ${schemes.map((s) => `${s}://…`).join(' or ')}`,
    ]);
  }
  return { scheme, location: scheme === 'file' ? filePath(uri, what) : (match[2] ?? '') };
}

function filePath(uri: string, what: string): string {
  try {
    return fileURLToPath(uri);
  } catch (error) {
    throw new InvalidInput(`${what} URI ${JSON.stringify(uri)}`, ['expected file:///absolute/path'], { cause: error });
  }
}
