import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Host } from '../functions/host.ts';
import { lineTelemetry } from '../functions/telemetry.ts';
import { VERSIONS } from '../functions/versions.ts';
import { createFileEvents } from '../shared/adapters/events-file.ts';
import { createHttpChat, policyChat } from '../shared/adapters/policy/chat.ts';
import { openPolicy, openPolicyHost } from '../shared/adapters/policy/open.ts';
import { callbackProgress } from '../shared/adapters/progress.ts';
import { openStores } from '../shared/adapters/stores.ts';
import { ENVIRONMENT_VARIABLES, type ExperimentConfig, type IterationCompleted } from '../shared/contracts/index.ts';
import type { Events, PolicyHost, ProgressEvent, Stores } from '../shared/ports/index.ts';
import type { Sandbox } from '../shared/sandbox/types.ts';
import { validateEnvironment } from '../shared/validation/index.ts';
import { folderUri, type Home } from './home/layout.ts';
import type { PolicyServer } from './processes/policy-server.ts';
import type { HeldTable } from './processes/table.ts';

/** How a unit on this machine is told where things are: the same variables as in the cloud. */
export function unitEnvironment(home: Home, table: string, policy: string, python: string): Record<string, string> {
  const names = ENVIRONMENT_VARIABLES;
  return {
    [names.environments]: folderUri(home.stores.environments),
    [names.episodes]: folderUri(home.stores.episodes),
    [names.policies]: folderUri(home.stores.policies),
    [names.corpora]: folderUri(home.stores.corpora),
    [names.queue]: folderUri(home.queue),
    [names.events]: folderUri(home.events),
    [names.table]: table,
    [names.policy]: policy,
    [names.python]: python,
    [names.stage]: 'local',
  };
}

export interface LocalHostParts {
  readonly config: ExperimentConfig;
  readonly home: Home;
  readonly env: Readonly<Record<string, string>>;
  readonly table: HeldTable;
  readonly sandbox: Promise<Sandbox>;
  /** The server that this process keeps, or null when the experiment names another one. */
  readonly server: PolicyServer | null;
  readonly onProgress: (event: ProgressEvent) => void;
  readonly onCompleted: (event: IterationCompleted) => void;
}

/** The one host that all in-process handlers share. */
export function localHost(parts: LocalHostParts): Host {
  const { config, env, table } = parts;
  const policyUri = env[ENVIRONMENT_VARIABLES.policy] as string;
  const options = {
    requestTimeoutMs: config.serving.requestTimeoutSeconds * 1000,
    maxAttempts: config.serving.maxAttempts,
  };
  const stores = openStores(env);
  const policy = openPolicy(policyUri, options);
  return {
    stores,
    policy,
    policyHost: remembering(openPolicyHost(policyUri, env, options), parts, stores),
    memory: table.services.memory,
    ledger: table.services.ledger,
    events: observed(createFileEvents(parts.home.events), parts.onCompleted),
    progress: callbackProgress(parts.onProgress),
    validate: async (input) => validateEnvironment(input, await parts.sandbox),
    chat: (uri) => (uri === 'auto' ? policyChat(policy) : createHttpChat(uri, options)),
    versions: VERSIONS,
    // Beside the children's logs: a design that is lost says here why.
    telemetry: lineTelemetry((line) => appendFileSync(join(parts.home.logs, 'units.jsonl'), line)),
  };
}

/** A version that was served once is known to the server's keeper, so that a restarted server has it too. */
function remembering(host: PolicyHost, { server }: LocalHostParts, { policies }: Stores): PolicyHost {
  return {
    ensureServed: async (model, prefix) => {
      server?.remember(model, new URL(policies.uri(prefix)).pathname);
      return host.ensureServed(model, prefix);
    },
    release: (experiment) => host.release(experiment),
  };
}

/** Events are kept in the home as they would be on a bus; the local rule hears a completed iteration at once. */
function observed(events: Events, onCompleted: (event: IterationCompleted) => void): Events {
  return {
    iterationCompleted: async (event) => {
      await events.iterationCompleted(event);
      onCompleted(event);
    },
    iterationFailed: (event) => events.iterationFailed(event),
  };
}
