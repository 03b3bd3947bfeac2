import * as z from 'zod';
import { type DesignRequest, DIFFICULTY_DIMENSIONS, InvalidInput, type MemoryExample } from '../contracts/index.ts';
import { canonicalJson, sha256Hex } from './canonical-json.ts';

/** Prompts of both roles as data (`shared/prompts/<set>.json`); an empty system text means no system message. */
export const PromptSet = z.strictObject({
  designer: z.strictObject({
    system: z.string(),
    user: z.string(),
    /** Rendered once per memory example; joined by newlines. */
    example: z.string(),
    /** Stands for the examples when there are none. */
    noExamples: z.string(),
    /** The one repair turn (method §5). */
    repair: z.string(),
  }),
  hint: z.strictObject({ system: z.string(), user: z.string() }),
  agent: z.strictObject({ system: z.string(), user: z.string(), userHinted: z.string() }),
});
export type PromptSet = z.infer<typeof PromptSet>;

/** A message of a chat; the same shape as the policy port's. */
export interface Message {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** Reads a prompt set's JSON text. @throws {InvalidInput} naming the field */
export function parsePromptSet(text: string, file: string): PromptSet {
  const parsed = PromptSet.safeParse(JSON.parse(text));
  if (parsed.success) return parsed.data;
  throw new InvalidInput(
    file,
    parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`),
  );
}

/**
 * Puts values in the place of `{{name}}`. One pass, so that a value which itself holds `{{…}}` stays as it is.
 * @throws {InvalidInput} for a placeholder without a value
 * @example render('play {{game}}', { game: 'chess' }) // 'play chess'
 */
export function render(template: string, values: Readonly<Record<string, string | number>>): string {
  return template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new InvalidInput('prompt', [`{{${name}}} has no value here`]);
    return String(value);
  });
}

/** First messages of a design conversation. The document is neutralised: it is real text that may hold anything. */
export function designMessages(prompts: PromptSet, request: DesignRequest): Message[] {
  const examples = request.examples.map((example) => render(prompts.designer.example, exampleValues(example)));
  const user = render(prompts.designer.user, {
    skill: request.skill,
    document: neutralise(request.document?.text ?? ''),
    examples: examples.length > 0 ? examples.join('\n') : prompts.designer.noExamples,
    titles: request.titles.join(', '),
    ...levels(request.difficulty),
  });
  return chat(prompts.designer.system, user);
}

/** The repair turn: the conversation so far, the refused text, and what was wrong with it. */
export function repairMessages(
  prompts: PromptSet,
  request: DesignRequest,
  refused: { readonly text: string; readonly reason: string; readonly detail: string },
): Message[] {
  const repair = render(prompts.designer.repair, { reason: refused.reason, detail: neutralise(refused.detail) });
  return [
    ...designMessages(prompts, request),
    { role: 'assistant', content: refused.text },
    { role: 'user', content: repair },
  ];
}

/** Asks for the privileged hint of a program: one short strategy for all seeds. */
export function hintMessages(prompts: PromptSet, source: string): Message[] {
  return chat(prompts.hint.system, render(prompts.hint.user, { source: neutralise(source) }));
}

/**
 * First messages of an episode; the hint, in the hinted arm alone, goes with the first observation.
 * @param tools OpenAI function schemas of a tool-use program, listed in the system text; none in games
 */
export function agentMessages(
  prompts: PromptSet,
  observation: string,
  hint: string | null,
  tools: readonly unknown[] = [],
): Message[] {
  const safe = neutralise(observation);
  const user =
    hint === null
      ? render(prompts.agent.user, { observation: safe })
      : render(prompts.agent.userHinted, { observation: safe, hint: neutralise(hint) });
  return chat(prompts.agent.system + toolList(tools), user);
}

function toolList(tools: readonly unknown[]): string {
  return tools.length === 0
    ? ''
    : `\n\nTools, one JSON schema a line:\n${tools.map((tool) => neutralise(canonicalJson(tool))).join('\n')}`;
}

/** The messages of the next turn: what the agent wrote, as sampled, and what the program answered. */
export function nextTurn(messages: readonly Message[], text: string, observation: string): Message[] {
  return [...messages, { role: 'assistant', content: text }, { role: 'user', content: neutralise(observation) }];
}

/** Identity of a rendered conversation (M29). */
export function promptHash(messages: readonly Message[]): string {
  return sha256Hex(canonicalJson(messages));
}

/** Characters and sentences of a hint; more would be an answer, not a strategy. */
const HINT_CHARACTERS = 400;
const HINT_SENTENCES = 3;

/** A sampled hint, cut to three sentences and 400 characters, on one line. */
export function trimHint(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const sentences = line.match(/[^.!?]+(?:[.!?]+(?=\s|$)|[.!?]+|$)/g) ?? [];
  const short = joinSentences(sentences).trim();
  return short.length <= HINT_CHARACTERS ? short : cutWords(short, HINT_CHARACTERS);
}

function joinSentences(parts: readonly string[]): string {
  let sentences = 0;
  let out = '';
  for (const part of parts) {
    // A full stop inside a number or name ("2.5", "a.b") does not end a sentence: the next part does not start with a blank.
    if (out !== '' && part.startsWith(' ')) sentences += 1;
    if (sentences === HINT_SENTENCES) break;
    out += part;
  }
  return out;
}

function cutWords(text: string, characters: number): string {
  const cut = [...text].slice(0, characters).join('');
  return cut.includes(' ') ? cut.slice(0, cut.lastIndexOf(' ')) : cut;
}

/**
 * The first `words` words of a document, the text between them as it was (M13). A document that is not longer stays whole.
 * @example cutToWords('one  two three', 2) // 'one  two'
 */
export function cutToWords(text: string, words: number): string {
  const word = /\S+/g;
  const trimmed = text.trim();
  for (let count = 0; count < words; count++) {
    if (word.exec(trimmed) === null) return trimmed;
  }
  return trimmed.slice(0, word.lastIndex);
}

/** What chat templates use as marks: `<|…|>`, `<think>`, `<tool_call>` and the like, with their closing forms. */
const CONTROL =
  /<(?=\||\/?(?:think|thinking|reasoning|tool_call|tool_response|s)>|(?:start|end)_of_turn>)|\[(?=\/?INST\])/gi;

/**
 * Makes text from a program or a document harmless inside a chat: the opening bracket of anything that looks like a control token
 * becomes U+2039 (`‹`), so that `<|im_end|>` reads `‹|im_end|>`: still legible, but no tokenizer can take it for the token. One
 * rule for all text that a model did not sample in this conversation (cases T13, E10).
 */
export function neutralise(text: string): string {
  return text.replace(CONTROL, (mark) => (mark === '[' ? '⁅' : '‹'));
}

function exampleValues(example: MemoryExample): Record<string, string | number> {
  return {
    title: example.title,
    skill: example.skill,
    winPercent: Math.round(example.winRate * 100),
    regretPercent: Math.round(example.regret * 100),
    note: example.note,
    code: example.code,
    ...levels(example.difficulty),
  };
}

function levels(difficulty: DesignRequest['difficulty']): Record<string, number> {
  return Object.fromEntries(DIFFICULTY_DIMENSIONS.map((dimension) => [dimension, Math.round(difficulty[dimension])]));
}

function chat(system: string, user: string): Message[] {
  const message: Message = { role: 'user', content: user };
  return system === '' ? [message] : [{ role: 'system', content: system }, message];
}
