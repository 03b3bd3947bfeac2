/** One call as the model wrote it, or why it is none. Arguments are plain JSON; whether the tool exists is the program's business. */
export type ToolCall =
  | { readonly ok: true; readonly name: string; readonly arguments: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problem: ToolCallProblem; readonly text: string };

export type ToolCallProblem = 'json' | 'not-an-object' | 'no-name' | 'arguments' | 'unclosed' | 'too-many';

/** Calls of one message that are looked at; what follows is one `too-many`. */
export const MAXIMUM_TOOL_CALLS = 64;

const OPEN = '<tool_call>';
const CLOSE = '</tool_call>';
const EXCERPT = 200;

/**
 * Calls in a message, in order: `<tool_call>{"name": …, "arguments": {…}}</tool_call>`. A closing tag inside a JSON string does not
 * end the call. Arguments written as a JSON text are decoded once more. Linear time; never throws.
 * @example parseToolCalls('<tool_call>{"name": "ls", "arguments": {}}</tool_call>') // [{ ok: true, name: 'ls', arguments: {} }]
 */
export function parseToolCalls(text: string): ToolCall[] {
  const calls: ToolCall[] = [];
  let position = text.indexOf(OPEN);
  while (position !== -1) {
    if (calls.length === MAXIMUM_TOOL_CALLS) return [...calls, problem('too-many', text.slice(position))];
    const start = position + OPEN.length;
    const end = closingTag(text, start);
    if (end === -1) return [...calls, problem('unclosed', text.slice(start))];
    calls.push(parseCall(text.slice(start, end)));
    position = text.indexOf(OPEN, end + CLOSE.length);
  }
  return calls;
}

/** Content of the last closed `<answer>…</answer>`, or null. */
export function parseAnswer(text: string): string | null {
  const close = text.lastIndexOf('</answer>');
  if (close === -1) return null;
  const open = text.lastIndexOf('<answer>', close);
  return open === -1 ? null : text.slice(open + '<answer>'.length, close).trim();
}

/** The first closing tag outside JSON strings; with unbalanced quotes, the first one at all. */
function closingTag(text: string, start: number): number {
  const first = text.indexOf(CLOSE, start);
  if (first === -1) return -1;
  let inString = false;
  for (let i = start; i < text.length; i++) {
    const character = text[i];
    if (inString && character === '\\') i += 1;
    else if (character === '"') inString = !inString;
    else if (!inString && character === '<') {
      if (text.startsWith(CLOSE, i)) return i;
      // A second call starts before this one closed: the quotes were unbalanced.
      if (text.startsWith(OPEN, i)) return first;
    }
  }
  return first;
}

function parseCall(text: string): ToolCall {
  const value = parseJson(text);
  if (value === undefined) return problem('json', text);
  if (!isRecord(value)) return problem('not-an-object', text);
  if (typeof value.name !== 'string' || value.name === '') return problem('no-name', text);
  const given = typeof value.arguments === 'string' ? parseJson(value.arguments) : (value.arguments ?? {});
  if (!isRecord(given)) return problem('arguments', text);
  return { ok: true, name: value.name, arguments: given };
}

function problem(kind: ToolCallProblem, text: string): ToolCall {
  return { ok: false, problem: kind, text: text.slice(0, EXCERPT) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
