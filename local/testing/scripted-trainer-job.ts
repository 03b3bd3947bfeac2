/** The scripted trainer as a training job's command: `node scripted-trainer-job.ts ROOT`. */
import { launchScriptedTrainer } from './scripted-trainer.ts';

const [root = ''] = process.argv.slice(2);
const trainer = launchScriptedTrainer({ python: '', pythonPath: '', env: {}, onLine: (line) => console.log(line) });
const { code } = await trainer.train(root, new AbortController().signal);
process.exit(code);
