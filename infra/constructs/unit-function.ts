import { fileURLToPath } from 'node:url';
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Architecture, type Function as LambdaFunction, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import { NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { AWS_CLIENTS, COMMON_CLIENTS, UNITS, type UnitName, type UnitSpec } from '../units.ts';

const project = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** Bundled CommonJS packages look for `require`, which an ES module does not have. */
const REQUIRE =
  "import { createRequire as __createRequire } from 'node:module';const require = __createRequire(import.meta.url);";

export interface UnitFunctionProps {
  readonly environment: Readonly<Record<string, string>>;
  readonly logRetention: RetentionDays;
  /** @default a name that CloudFormation makes up */
  readonly functionName?: string;
}

/**
 * The deployed function of one unit: `functions/<unit>/handler.ts` in one bundle with everything that it imports, the SDK too, so that
 * what was tested is what runs.
 */
export function unitFunction(scope: Construct, unit: UnitName, props: UnitFunctionProps): LambdaFunction {
  const { timeoutSeconds, memoryMb, description } = UNITS[unit];
  const logGroup = new LogGroup(scope, `${unit}-logs`, {
    retention: props.logRetention,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  return new NodejsFunction(scope, unit, {
    description,
    ...(props.functionName && { functionName: props.functionName }),
    entry: project(`functions/${unit}/handler.ts`),
    projectRoot: project(''),
    depsLockFilePath: project('package-lock.json'),
    handler: 'handler',
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    timeout: Duration.seconds(timeoutSeconds),
    memorySize: memoryMb,
    tracing: Tracing.ACTIVE,
    logGroup,
    environment: { ...props.environment, NODE_OPTIONS: '--enable-source-maps' },
    bundling: {
      format: OutputFormat.ESM,
      target: 'node24',
      minify: true,
      // Error names on the wire are literals; function names in stacks stay readable.
      keepNames: true,
      externalModules: unusedClients(unit),
      mainFields: ['module', 'main'],
      banner: REQUIRE,
    },
  });
}

/** Clients that this unit never loads: adapters import them on demand, and a bundle would hold them all. */
function unusedClients(unit: UnitName): string[] {
  const used = new Set<string>([...COMMON_CLIENTS, ...((UNITS[unit] as UnitSpec).clients ?? [])]);
  return AWS_CLIENTS.filter((client) => !used.has(client)).map((client) => `@aws-sdk/client-${client}`);
}
