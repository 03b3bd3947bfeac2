/** The CDK application: `npx cdk deploy --all -c deployment=deploy/NAME.yaml` (docs/deploy.md). */
import { fileURLToPath } from 'node:url';
import { App } from 'aws-cdk-lib';
import { readDeployment } from './config.ts';
import { spadeStacks } from './stacks/index.ts';

const app = new App({ analyticsReporting: false });
const file = app.node.tryGetContext('deployment') ?? 'deploy/dev.yaml';
spadeStacks(app, readDeployment(fileURLToPath(new URL(`../${file}`, import.meta.url))));
// Only on request: loading the rules costs a second that every deployment need not pay.
if (app.node.tryGetContext('nag')) (await import('./nag.ts')).addNag(app);
app.synth();
