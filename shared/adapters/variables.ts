import { InvalidInput } from '../contracts/index.ts';

/** Variables by which a host tells a unit where things are; usually `process.env`. */
export type Variables = Readonly<Record<string, string | undefined>>;

/**
 * A variable that must be set.
 *
 * @param expected - what would do, for the message
 * @throws {InvalidInput} naming the variable
 */
export function requiredVariable(env: Variables, name: string, expected = 'a value'): string {
  const value = env[name];
  if (!value) throw new InvalidInput(`environment variable ${name}`, [`not set; expected ${expected}`]);
  return value;
}
