// Checks the CDK application without an account: `npm run check:infra`.
//   nag    cdk-nag's AwsSolutions rules over all stacks; each accepted finding has its reason in infra/nag.ts
//   lint   cfn-lint over the templates; W3005 is left out, because the CDK makes functions depend on their roles twice
//   asl    asl-validator over the state machine as it is rendered
// The construct tests run with all others (`npm test`).
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = mkdtempSync(join(tmpdir(), 'spade-infra-'));
const env = { ...process.env, PATH: `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH}` };
const node = join(root, 'node_modules/node/bin/node');

function run(name, command, args, extra = {}, stdio = 'inherit') {
  console.log(`\n── ${name}`);
  const { status } = spawnSync(command, args, { cwd: root, stdio, env: { ...env, ...extra } });
  return [name, status === 0];
}

const context = { deployment: 'deploy/emulator.yaml', nag: true, 'aws:cdk:bundling-stacks': [] };
const synth = { CDK_OUTDIR: join(out, 'cdk.out'), CDK_CONTEXT_JSON: JSON.stringify(context) };
// The synthesis ends with 1 when there are findings; whether they are accepted is asked next.
run('synthesis with cdk-nag', node, ['--disable-warning=ExperimentalWarning', 'infra/app.ts'], synth, 'ignore');
const report = join(out, 'cdk.out/validation-report.json');
const results = [run('nag', node, ['--disable-warning=ExperimentalWarning', 'scripts/check-nag.ts', report])];

const templates = readdirSync(join(out, 'cdk.out')).filter((name) => name.endsWith('.template.json'));
const python = run('emulator environment', node, [
  '-e',
  "import('./scripts/emulator/python.ts').then((m) => process.stdout.write(m.emulatorPython() + '\\n'))",
]);
results.push(python);
const interpreter = process.env.SPADE_EMULATOR_PYTHON ?? join(root, 'dist/emulator-venv/bin/python');
const files = templates.map((name) => join(out, 'cdk.out', name));
results.push(run('lint', join(dirname(interpreter), 'cfn-lint'), ['--ignore-checks', 'W3005', '--', ...files]));

const definition = join(out, 'definition.json');
writeFileSync(definition, spawnSync(node, ['infra/render.ts'], { cwd: root, encoding: 'utf8' }).stdout);
results.push(run('asl', 'asl-validator', ['--json-path', definition]));

rmSync(out, { recursive: true, force: true });
console.log('');
for (const [name, passed] of results) console.log(`${passed ? 'passed' : 'FAILED'}  ${name}`);
process.exit(results.every(([, passed]) => passed) ? 0 : 1);
