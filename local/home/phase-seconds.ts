import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { iterationKeys } from '../../shared/contracts/index.ts';
import type { PhaseSeconds } from '../phase-clock.ts';
import type { Home } from './layout.ts';

/** Keeps the wall times of an iteration's phases beside its other timings. */
export function writePhaseSeconds(home: Home, experiment: string, iteration: number, seconds: PhaseSeconds): void {
  const path = pathOf(home, experiment, iteration);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(seconds)}\n`);
}

/** The wall times of an iteration's phases; empty when they were not kept. */
export function readPhaseSeconds(home: Home, experiment: string, iteration: number): PhaseSeconds {
  try {
    return JSON.parse(readFileSync(pathOf(home, experiment, iteration), 'utf8')) as PhaseSeconds;
  } catch {
    return {};
  }
}

function pathOf(home: Home, experiment: string, iteration: number): string {
  return join(home.stores.episodes, iterationKeys(experiment, iteration).timings('phases'));
}
