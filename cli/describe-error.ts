import { ERROR_NAMES, InvalidInput } from '../shared/contracts/index.ts';

/** What to do about an error, by its name. */
const ADVICE: Readonly<Record<string, string>> = {
  [ERROR_NAMES.policyUnavailable]:
    'Start the server or correct serving.policy, then run the same command: it goes on where it was.',
  [ERROR_NAMES.policyMalformed]:
    'The server must speak the OpenAI protocol with token ids and log-probs (vLLM 0.11 or newer does); then run the same command again.',
  [ERROR_NAMES.sandboxUnavailable]:
    'Model-written programs are not run without it. On Linux install libseccomp2; on other systems use the container (docs/architecture.md).',
  [ERROR_NAMES.leaseHeld]: 'Wait for the other run, or stop it; "spade status" shows its process id.',
  [ERROR_NAMES.trainingFailed]:
    "The log of the training job is in the experiment's folder under logs/; run the same command to try again.",
};

/**
 * An error as one readable block: what is wrong, each problem on a line of its own, and what to do. Only an error that nobody
 * foresaw shows its stack.
 */
export function describeError(error: unknown): string {
  if (error instanceof InvalidInput) {
    return block(error.message.slice(0, error.message.indexOf(': ')), error.problems);
  }
  if (!(error instanceof Error)) return block('unexpected failure', [String(error)]);
  const failed = error as Error & { boundary?: string; error?: string };
  const name = failed.error ?? failed.name;
  if (failed.boundary === undefined && failed.error === undefined && ADVICE[name] === undefined) {
    return block('unexpected failure', [error.stack ?? error.message]);
  }
  return block(name, readable(error.message), ADVICE[name]);
}

/** Step Functions hands errors over as JSON text with a stack; people want the message. */
function readable(message: string): string[] {
  try {
    const { errorMessage } = JSON.parse(message) as { errorMessage?: unknown };
    return typeof errorMessage === 'string' ? errorMessage.split('\n') : [message];
  } catch {
    return message.split('\n');
  }
}

function block(title: string, lines: readonly string[], advice?: string): string {
  return [`error: ${title}`, ...lines.map((line) => `  ${line}`), ...(advice ? [`  → ${advice}`] : [])].join('\n');
}
