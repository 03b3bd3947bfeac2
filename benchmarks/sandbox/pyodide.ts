import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Contestant } from './contestants.ts';

const PACKAGE = new URL('node_modules/pyodide/pyodide.mjs', import.meta.url);

interface Interpreter {
  readonly version: string;
  runPython(code: string): unknown;
  readonly globals: { set(name: string, value: unknown): void; get(name: string): unknown };
}

const PLAYER = `
import json
_namespace = {}
exec(compile(source, "environment", "exec"), _namespace)
_environment = _namespace["GuessEnv"]()
_environment.reset(seed=seed)
def step(action):
    return json.dumps(_environment.step(action))
`;

/**
 * CPython compiled to WebAssembly, a fresh interpreter for each episode in this process: memory is walled off, time is not (an
 * endless loop stops the event loop), and the `js` module reaches the host unless it is taken away.
 * @returns why not, when it is not installed
 */
export async function pyodide(program: string): Promise<Contestant | string> {
  if (!existsSync(fileURLToPath(PACKAGE))) return 'Pyodide is left out: run benchmarks/sandbox/setup first';
  const { loadPyodide } = (await import(PACKAGE.href)) as { loadPyodide: () => Promise<Interpreter> };
  const source = readFileSync(program, 'utf8');
  return {
    name: 'Pyodide, an interpreter per episode',
    slow: true,
    async start(seed) {
      const interpreter = await loadPyodide();
      interpreter.globals.set('source', source);
      interpreter.globals.set('seed', seed);
      interpreter.runPython(PLAYER);
      const step = interpreter.globals.get('step') as (action: string) => string;
      return {
        step: async () => void JSON.parse(step('\\boxed{0}')),
        close: async () => {},
      };
    },
  };
}
