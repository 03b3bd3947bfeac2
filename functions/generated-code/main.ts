import { requiredVariable } from '../../shared/adapters/variables.ts';
import { handler } from './handler.ts';
import { serveInvocations } from './runtime.ts';

/** The image's first process: validations for as long as Lambda keeps it. */
await serveInvocations(handler, requiredVariable(process.env, 'AWS_LAMBDA_RUNTIME_API', 'set by Lambda'));
