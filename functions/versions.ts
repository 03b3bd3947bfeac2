import project from '../package.json' with { type: 'json' };

/** Versions on the cards of environments; a host that knows more (its Python) adds to them. */
export const VERSIONS: Readonly<Record<string, string>> = { spade: project.version };
