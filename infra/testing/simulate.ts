import type { Statement } from './index.ts';

/** A call as IAM judges it. Resources are written with `<LogicalName>` for what only a deployment names. */
export interface Call {
  readonly action: string;
  readonly resource: string;
  /** Condition keys of the call. */
  readonly context?: Readonly<Record<string, string | readonly string[]>>;
}

/**
 * IAM's decision on an identity's statements: an explicit deny wins, else an allow, else denied. Covers what the templates use; an operator
 * that it does not know is an error, not a guess.
 */
export function isAllowed(statements: readonly Statement[], call: Call): boolean {
  const matching = statements.filter((statement) => applies(statement, call));
  return !matching.some(({ Effect }) => Effect === 'Deny') && matching.some(({ Effect }) => Effect === 'Allow');
}

function applies({ Action, Resource, Condition = {} }: Statement, call: Call): boolean {
  const resources = [Resource].flat().map(nameOf);
  return (
    [Action].flat().some((pattern) => like(pattern, call.action)) &&
    resources.some((pattern) => like(pattern, call.resource)) &&
    Object.entries(Condition).every(([operator, keys]) => holds(operator, keys as Record<string, unknown>, call))
  );
}

function holds(operator: string, keys: Record<string, unknown>, { context = {} }: Call): boolean {
  return Object.entries(keys).every(([key, wanted]) => {
    const values = context[key] === undefined ? [] : [context[key]].flat();
    const patterns = [wanted].flat().map(nameOf);
    const matches = (value: string) => patterns.some((pattern) => like(pattern, value));
    switch (operator) {
      case 'StringEquals':
      case 'StringLike':
      case 'ArnEquals':
        return values.length > 0 && values.every(matches);
      case 'StringLikeIfExists':
        return values.every(matches);
      case 'ForAllValues:StringLike':
        return values.every(matches);
      case 'Null':
        return patterns.includes(String(values.length === 0));
      default:
        throw new Error(`condition operator ${operator} is not simulated`);
    }
  });
}

function like(pattern: string, value: string): boolean {
  const escaped = pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`, 's').test(value);
}

/** A resource of a template as text: intrinsic functions become `<LogicalName>`, without the hash that the CDK adds. */
export function nameOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const [name, argument] = Object.entries(value as Record<string, unknown>)[0] as [string, unknown];
  if (name === 'Fn::Join')
    return (argument as [string, unknown[]])[1].map(nameOf).join((argument as [string, unknown[]])[0]);
  if (name === 'Ref') return pseudo(argument as string);
  if (name === 'Fn::GetAtt') return `<${withoutHash((argument as [string, string])[0])}>`;
  if (name === 'Fn::ImportValue')
    return `<${withoutHash(/ExportsOutput(?:FnGetAtt|Ref)([A-Za-z0-9]+?[0-9A-F]{8})/.exec(String(argument))?.[1] ?? '')}>`;
  throw new Error(`intrinsic ${name} is not named`);
}

function pseudo(name: string): string {
  const known: Record<string, string> = {
    'AWS::Partition': 'aws',
    'AWS::Region': 'eu-west-1',
    'AWS::AccountId': '123456789012',
    'AWS::URLSuffix': 'amazonaws.com',
  };
  return known[name] ?? `<${withoutHash(name)}>`;
}

function withoutHash(logicalId: string): string {
  return logicalId.replace(/[0-9A-F]{8}$/, '');
}
