import { expect, test } from 'vitest';
import { UNIT_NAMES } from '../units.ts';
import { BUNDLE_LIMIT_BYTES, bundleUnit } from './unit-bundle.ts';

test.each(UNIT_NAMES)('%s is bundled into less than a megabyte', (unit) => {
  expect(bundleUnit(unit)).toBeLessThanOrEqual(BUNDLE_LIMIT_BYTES);
});
