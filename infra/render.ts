/**
 * Prints the state machine as a host without AWS runs it: `node infra/render.ts > FILE`.
 * A process of its own, because loading the CDK costs a second that a warm start of the local host should not pay.
 */
import { renderIteration } from './rendered.ts';

process.stdout.write(`${JSON.stringify(JSON.parse(renderIteration()), null, 1)}\n`);
