import { Duration, Stack } from 'aws-cdk-lib';
import { Dashboard, GraphWidget, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { FilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { IterationUnit } from '../units.ts';
import type { IterationFunctions } from './iteration/integrations.ts';

export interface CurvesProps {
  readonly stage: string;
  readonly functions: IterationFunctions;
}

/** Namespace of the project's metrics, the same as the units' own. */
const NAMESPACE = 'Spade';

/** Numbers of progress lines that become curves: who emits them, in which phase, under which names (docs/architecture.md, method M28). */
const SOURCES: readonly { unit: IterationUnit; phase: string; numbers: readonly string[] }[] = [
  {
    unit: 'score-rollouts',
    phase: 'score',
    numbers: ['hinted', 'unhinted', 'regret', 'agentSamples', 'designerSamples'],
  },
  { unit: 'admit-environments', phase: 'design', numbers: ['admitted', 'duplicates', 'refused'] },
  { unit: 'publish-policy', phase: 'publish', numbers: ['benchmark', 'policyVersion'] },
];

/** The dashboard: each graph searches by metric name, so that experiments appear in it by themselves. */
const GRAPHS: readonly [title: string, ...metrics: string[]][] = [
  ['Ability: benchmark score', 'benchmark'],
  ['Mean return by arm', 'hinted', 'unhinted'],
  ['Regret', 'regret'],
  ['Environments: admitted, duplicate, refused', 'admitted', 'duplicates', 'refused'],
  ['Training samples', 'agentSamples', 'designerSamples'],
  ['Policy version', 'policyVersion'],
];

/** Curves of every experiment, from the units' progress lines: no unit calls CloudWatch. */
export class Curves extends Construct {
  constructor(scope: Construct, id: string, props: CurvesProps) {
    super(scope, id);
    for (const { unit, phase, numbers } of SOURCES) {
      const { logGroup } = props.functions[unit] as LambdaFunction;
      for (const name of numbers) this.filter(logGroup, phase, name);
    }
    new Dashboard(this, 'Dashboard', {
      dashboardName: `spade-${props.stage}`,
      defaultInterval: Duration.days(7),
      widgets: [GRAPHS.map(([title, ...metrics]) => graph(title, metrics, Stack.of(this).region))],
    });
  }

  private filter(logGroup: ILogGroup, phase: string, name: string): void {
    new MetricFilter(this, `${phase}-${name}`, {
      logGroup,
      filterPattern: FilterPattern.all(
        FilterPattern.stringValue('$.event', '=', 'progress'),
        FilterPattern.stringValue('$.phase', '=', phase),
        FilterPattern.exists(`$.numbers.${name}`),
      ),
      metricNamespace: NAMESPACE,
      metricName: name,
      metricValue: `$.numbers.${name}`,
      dimensions: { experiment: '$.experiment' },
    });
  }
}

function graph(title: string, metrics: readonly string[], region: string): GraphWidget {
  const search = (metric: string) =>
    new MathExpression({
      expression: `SEARCH('{${NAMESPACE},experiment} MetricName="${metric}"', 'Average', 300)`,
      label: metric,
      searchRegion: region,
      period: Duration.minutes(5),
    });
  return new GraphWidget({ title, width: 12, left: metrics.map(search) });
}
