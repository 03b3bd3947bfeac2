import * as z from 'zod';
import { InvalidInput } from '../../shared/contracts/index.ts';
import { startSandbox } from '../../shared/sandbox/index.ts';
import { type Validation, validateEnvironment } from '../../shared/validation/index.ts';
import { describeIssues } from '../objects.ts';

/** What the trusted caller asks (`ValidationInput`). */
const Request = z.strictObject({
  source: z.string(),
  hint: z.string(),
  setting: z.enum(['games', 'tool-use']),
  limits: z.strictObject({ maxTurns: z.int().min(1), ownTurns: z.boolean() }),
  modules: z.array(z.string()),
  winThreshold: z.number(),
  probeSeed: z.int(),
});

/** One validation at a time: as many processes as a battery opens side by side. */
const SLOTS = 4;

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The function that runs model-written programs (phase 3, in the cloud). It has no rights, no route and no memory: every call gets a fork
 * server of its own, so nothing that one program did can be there for the next. What it answers is checked again by its caller.
 */
export function createHandler(env: Variables): (event: unknown) => Promise<Validation> {
  return async (event) => {
    const parsed = Request.safeParse(event);
    if (!parsed.success) throw new InvalidInput('validation request', describeIssues(parsed.error));
    const isolation = env.SPADE_SANDBOX === 'best-effort' ? 'best-effort' : 'required';
    const sandbox = await startSandbox({
      slots: SLOTS,
      isolation,
      extraModules: parsed.data.modules,
      ...(env.SPADE_PYTHON && { python: env.SPADE_PYTHON }),
    });
    try {
      return await validateEnvironment(parsed.data, sandbox);
    } finally {
      await sandbox.close();
    }
  };
}

export const handler = createHandler(process.env);
