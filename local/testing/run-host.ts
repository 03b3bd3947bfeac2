/**
 * Runs an experiment for tests that kill the host: `node run-host.ts FILE HOME [scripted]`, with the scripted trainer or with the real one.
 * Each progress event is a line on standard output; the last line is the result.
 */
import { runExperiment } from '../index.ts';
import { launchScriptedTrainer } from './scripted-trainer.ts';

const [file = '', home = '', trainer] = process.argv.slice(2);
const say = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`);
const stop = new AbortController();
process.on('SIGINT', () => stop.abort());
const result = await runExperiment({
  file,
  home,
  ...(trainer === 'scripted' && { launchTrainer: launchScriptedTrainer }),
  onProgress: say,
  signal: stop.signal,
});
say({ result });
process.exit(0);
