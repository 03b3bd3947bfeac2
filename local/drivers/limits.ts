import { IntegrationError, type Json } from './integrations.ts';

/** Largest input or output of a state, bytes of UTF-8 (Step Functions quota). */
export const STATE_BYTES = 262_144;

/** Largest `overrides` of RunTask, characters of JSON in total. */
export const OVERRIDES_CHARACTERS = 8_192;

/** What AWS would refuse is refused here too, so that a laptop run proves the requests.
 * @throws {IntegrationError} `States.DataLimitExceeded`, which no Catch can name */
export function assertStateSize(what: string, value: Json): void {
  const bytes = Buffer.byteLength(JSON.stringify(value) ?? '', 'utf8');
  if (bytes > STATE_BYTES) {
    throw new IntegrationError('States.DataLimitExceeded', `${what} has ${bytes} bytes, the limit is ${STATE_BYTES}`);
  }
}

/** @throws {IntegrationError} `ECS.InvalidParameterException` */
export function assertOverridesSize(overrides: Json): void {
  const characters = JSON.stringify(overrides).length;
  if (characters > OVERRIDES_CHARACTERS) {
    const cause = `Container Overrides length must be at most ${OVERRIDES_CHARACTERS} characters, not ${characters}`;
    throw new IntegrationError('ECS.InvalidParameterException', cause);
  }
}
