import { openTable } from '../shared/adapters/dynamodb/open.ts';
import { openEvents } from '../shared/adapters/events.ts';
import { once } from '../shared/adapters/once.ts';
import { createHttpChat, policyChat } from '../shared/adapters/policy/chat.ts';
import { openPolicy, openPolicyHost } from '../shared/adapters/policy/open.ts';
import { createProgress } from '../shared/adapters/progress.ts';
import { openStores } from '../shared/adapters/stores.ts';
import { requiredVariable } from '../shared/adapters/variables.ts';
import { ENVIRONMENT_VARIABLES } from '../shared/contracts/index.ts';
import type { Chat, Events, Ledger, Memory, Policy, PolicyHost, Progress, Stores } from '../shared/ports/index.ts';
import type { Validation, ValidationInput } from '../shared/validation/types.ts';
import type { Metering } from './metering.ts';
import type { Environment } from './middleware.ts';
import { cloudTelemetry, type Telemetry } from './telemetry.ts';
import { VERSIONS } from './versions.ts';

/** Everything a unit may ask of the world. A laptop makes one and hands it to all handlers; in the cloud each function makes its own. */
export interface Host {
  readonly stores: Stores;
  readonly policy: Policy;
  readonly policyHost: PolicyHost;
  readonly memory: Memory;
  readonly ledger: Ledger;
  readonly events: Events;
  readonly progress: Progress;
  /** Judges model-written code behind walls: in process on a laptop, in a function without rights in the cloud. */
  readonly validate: (input: ValidationInput) => Promise<Validation>;
  /** The model that judges programs (M20): any server by its URI, or with `auto` the policy that is being trained. */
  readonly chat: (uri: string) => Chat;
  /** Versions of what decides about environments, for their cards (M29). */
  readonly versions: Readonly<Record<string, string>>;
  readonly telemetry: Telemetry;
  /** Only where time costs money. */
  readonly metering?: Metering;
}

/**
 * The host that environment variables describe. Each part is made when it is first asked for, so a function needs the variables (and the
 * rights) of what it uses and no others.
 */
export function hostFrom(env: Environment): Host {
  const variable = (name: keyof typeof ENVIRONMENT_VARIABLES) => requiredVariable(env, ENVIRONMENT_VARIABLES[name]);
  const table = once(() => openTable(variable('table')));
  return lazily({
    stores: () => openStores(env),
    policy: () => openPolicy(variable('policy')),
    policyHost: () => openPolicyHost(variable('policy'), env),
    memory: () => table().memory,
    ledger: () => table().ledger,
    events: () => openEvents(variable('events')),
    progress: () => createProgress(),
    validate: () => openValidator(variable('validator')),
    chat: () => (uri: string) => (uri === 'auto' ? policyChat(openPolicy(variable('policy'))) : createHttpChat(uri)),
    versions: () => VERSIONS,
    telemetry: () => cloudTelemetry(),
    metering: () => ({ now: () => new Date() }),
  });
}

/** The function that judges; its client is loaded by the first call, since one unit alone makes it. */
function openValidator(functionName: string): Host['validate'] {
  const validator = once(async () =>
    (await import('../shared/adapters/validator-lambda.ts')).lambdaValidator(functionName),
  );
  return async (input) => (await validator())(input);
}

type Makers<T> = { readonly [K in keyof Required<T>]: () => Required<T>[K] };

/** An object whose properties are made on first use and kept. */
function lazily<T extends object>(makers: Makers<T>): T {
  const host = {};
  for (const [name, make] of Object.entries(makers) as [string, () => unknown][]) {
    Object.defineProperty(host, name, { get: once(make), enumerable: true });
  }
  return host as T;
}
