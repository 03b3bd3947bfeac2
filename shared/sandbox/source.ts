import { fault } from './reply.ts';
import type { Reply, SandboxLimits } from './types.ts';

/**
 * Refusals that need no parser. A text that differs between hosts or between scan and run must not get in: a NUL ends
 * it for some readers, a byte-order mark hides in others, a lone surrogate has no UTF-8 form.
 */
export function sourceFault(source: string, limits: SandboxLimits): Extract<Reply<never>, { ok: false }> | undefined {
  if (source.trim() === '') return fault('source.empty', 'the program is empty');
  if (source.length > limits.sourceBytes || Buffer.byteLength(source) > limits.sourceBytes) {
    return fault('source.too_large', `the program has more than ${limits.sourceBytes} bytes`);
  }
  if (!source.isWellFormed()) return fault('source.encoding', 'the program holds a lone surrogate');
  if (source.includes('\0')) return fault('source.encoding', 'the program holds a NUL character');
  if (source.includes('\uFEFF')) return fault('source.encoding', 'the program holds a byte-order mark');
  return undefined;
}
