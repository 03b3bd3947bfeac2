import { VALUES } from './contract-values.ts';
import { HARNESS } from './harness.ts';
import { RESOURCES } from './resources.ts';
import type { Row } from './row.ts';
import { SOURCES } from './source-and-class.ts';
import { SYSTEM } from './system.ts';
import { WORTH } from './worth.ts';

export { plantCanary } from './canary.ts';
export { CONTROLS } from './controls.ts';
export { type Control, programOf, type Row, TRIGGER_SEED } from './row.ts';

/** Every attack and fault, in the order of the catalogue. */
export const ROWS: readonly Row[] = [...RESOURCES, ...SOURCES, ...SYSTEM, ...HARNESS, ...VALUES, ...WORTH];
