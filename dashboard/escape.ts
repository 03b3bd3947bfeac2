const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Text as HTML, safe in content and in quoted attributes. Programs, hints and titles are written by a model: everything on the page
 * goes through here. Control characters and marks that reorder text become U+FFFD, so that what is read is what is there.
 */
export function escapeHtml(text: string): string {
  return text
    .replace(/[&<>"']/g, (mark) => ENTITIES[mark] as string)
    .replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F\u202A-\u202E\u2066-\u2069]/g, '\uFFFD');
}
