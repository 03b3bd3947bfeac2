import { startSandbox } from '../sandbox/index.ts';
import { CASE_LIMITS, CONTRACT, decisionOn, endOf, HANGS, HARMLESS, HOSTILE, inStep } from './broken-programs.ts';

// Prints what becomes of each broken program on this machine, as JSON: run by cases.check.ts behind other walls.
const sandbox = await startSandbox({ slots: 4, limits: CASE_LIMITS });
const outcomes: Record<string, string> = {};
for (const [name, source] of CONTRACT) outcomes[`contract: ${name}`] = await decisionOn(source, sandbox);
for (const [name, code] of [...HOSTILE, ...HARMLESS]) outcomes[`hostile: ${name}`] = await endOf(inStep(code), sandbox);
for (const [name, source] of HANGS) outcomes[`hang: ${name}`] = await endOf(source, sandbox);
await sandbox.close();
console.log(JSON.stringify(outcomes));
