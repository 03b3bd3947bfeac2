/** Names of the tags in which reasoning models think aloud. */
const THINKING_TAGS = ['think', 'thinking', 'reasoning'] as const;

/**
 * Removes what a model thought aloud: `<think>…</think>` blocks anywhere; everything before a closing tag that was never opened
 * (chat templates often open the block in the prompt); and everything after an opening tag that was never closed (the text was
 * cut while thinking). Tags do not nest, and may be in capitals: the first closing tag ends the thought. Linear time; never throws.
 * @example stripThinking('<think>2+2</think>\\boxed{4}') // '\\boxed{4}'
 */
export function stripThinking(text: string): string {
  return THINKING_TAGS.reduce(stripTag, text);
}

function stripTag(text: string, tag: string): string {
  let kept: string[] = [];
  let position = 0;
  let inside = false;
  for (const found of text.matchAll(new RegExp(`<(/?)${tag}>`, 'gi'))) {
    const closes = found[1] === '/';
    if (closes && !inside) kept = [];
    else if (!inside) kept.push(text.slice(position, found.index));
    inside = !closes;
    position = found.index + found[0].length;
  }
  if (position === 0) return text;
  if (!inside) kept.push(text.slice(position));
  return kept.join('').replace(/^\s+/, '');
}
