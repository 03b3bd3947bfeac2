/** Renders the state machine into `dist/` if it is not there as it should be: `node local/definition-cache.ts`. */
import { loadDefinition } from './definition.ts';

loadDefinition();
