import { fencedBlocks } from './fences.ts';
import { stripThinking } from './thinking.ts';

/**
 * How the program was found in the designer's text (cases T8); counted in the iteration record.
 * `fence`: last closed fence that holds an environment class. `unclosed`: the same, but the text was cut before its closing fence.
 * `bare`: no fence holds one, the text itself does, from its first line of code on. `other-fence`: no environment class anywhere,
 * the last fence marked as Python. `none`: no program; the source is empty.
 */
export type ProgramRule = 'fence' | 'unclosed' | 'bare' | 'other-fence' | 'none';

export interface ExtractedProgram {
  readonly source: string;
  readonly rule: ProgramRule;
}

const ENVIRONMENT_CLASS = /^[ \t]*class[ \t]+\w*Env\b/m;
const CODE_LINE = /^(?:import |from \S+ import |class \w|def \w|@\w|"""|'''|#|[A-Za-z_]\w*(?:: *\w+)? *= *\S)/;
const PYTHON_INFO = /^(?:python3?|py)\b/i;

/**
 * Takes the program out of what the designer wrote. Thinking is removed first. The last complete fence that holds a class whose
 * name ends in `Env` wins, because models first sketch and then write; whatever the fence is labelled. Linear time; never throws.
 */
export function extractProgram(text: string): ExtractedProgram {
  const spoken = stripThinking(text.replace(/\r\n?/g, '\n'));
  const blocks = fencedBlocks(spoken);
  const holding = blocks.filter((block) => ENVIRONMENT_CLASS.test(block.body));
  const complete = holding.filter((block) => block.closed).at(-1);
  if (complete !== undefined) return { source: complete.body, rule: 'fence' };
  const cut = holding.at(-1);
  if (cut !== undefined) return { source: cut.body, rule: 'unclosed' };
  if (ENVIRONMENT_CLASS.test(spoken)) return { source: bareProgram(spoken), rule: 'bare' };
  const python = blocks.filter((block) => PYTHON_INFO.test(block.info) && block.body.trim() !== '').at(-1);
  return python === undefined ? { source: '', rule: 'none' } : { source: python.body, rule: 'other-fence' };
}

/** The text from its first line that looks like Python at the left margin; a chatty first sentence is dropped. */
function bareProgram(text: string): string {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => CODE_LINE.test(line));
  return lines.slice(Math.max(0, start)).join('\n');
}
