import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';

/** Structured log lines; `fields` hold ids and numbers, never model-written text. */
export interface Log {
  info(message: string, fields: Record<string, unknown>): void;
  error(message: string, fields: Record<string, unknown>): void;
}

/** What a host wants to know about its units. Nothing of it reaches an artefact. */
export interface Telemetry {
  readonly log: Log;
  /** One unit has ended, after so many milliseconds of wall clock. */
  count(unit: string, outcome: 'completed' | 'failed', milliseconds: number): void;
}

/** For hosts that show progress instead. */
export const NO_TELEMETRY: Telemetry = {
  log: { info: () => undefined, error: () => undefined },
  count: () => undefined,
};

/** One JSON line for each ended unit, to a file or a pipe: what a host without a log service keeps. */
export function lineTelemetry(write: (line: string) => unknown): Telemetry {
  const line = (level: string) => (message: string, fields: Record<string, unknown>) => {
    write(`${JSON.stringify({ level, message, ...fields })}\n`);
  };
  return { log: { info: line('info'), error: line('error') }, count: () => undefined };
}

/** Metrics namespace of the project, the same in the dashboard and the alarms. */
export const METRICS_NAMESPACE = 'Spade';

/** Log lines as JSON on stdout, and metrics in the embedded metric format: no calls, no waiting. */
export function cloudTelemetry(): Telemetry {
  const logger = new Logger({ serviceName: 'spade' });
  const metrics = new Metrics({ namespace: METRICS_NAMESPACE, serviceName: 'spade' });
  return {
    log: {
      info: (message, fields) => logger.info(message, fields),
      error: (message, fields) => logger.error(message, fields),
    },
    count: (unit, outcome, milliseconds) => {
      const single = metrics.singleMetric();
      single.addDimension('unit', unit);
      single.addMetric(outcome, MetricUnit.Count, 1);
      const duration = metrics.singleMetric();
      duration.addDimension('unit', unit);
      duration.addMetric('duration', MetricUnit.Milliseconds, milliseconds);
    },
  };
}
