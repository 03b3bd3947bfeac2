/** Price of one unit in USD, where it was read, and when. Region us-east-1, on demand. */
export interface Price {
  readonly usd: number;
  readonly source: string;
}

const FARGATE = 'vantage.sh/blog/fargate-pricing, cloudburn.io/blog/aws-fargate-pricing (2026-03)';
const DYNAMODB = 'Price List API, 2026-09: $0.625 per million writes, $0.125 per million reads, on demand';
const S3 = 'public price copies, undated: $0.005 per 1,000 PUT or LIST, $0.0004 per 1,000 GET, $0.023 per GB-month';

/** Latest date on which a price of the table was read. Prices change: the date is printed beside every amount. */
export const PRICE_DATE = '2026-09-27';

/** What one unit of each resource costs. Spot Fargate is the planning value of 30 % of on demand; the real one floats. */
export const UNIT_PRICES = {
  lambdaRequests: { usd: 0.2 / 1e6, source: 'cloudchipr.com/blog/aws-lambda-pricing (2026-05)' },
  lambdaGbSeconds: { usd: 0.0000166667, source: 'x86; cloudchipr.com/blog/aws-lambda-pricing (2026-05)' },
  fargateVcpuSeconds: { usd: 0.04048 / 3600, source: FARGATE },
  fargateGbSeconds: { usd: 0.004445 / 3600, source: FARGATE },
  fargateSpotVcpuSeconds: { usd: (0.3 * 0.04048) / 3600, source: `${FARGATE}; up to 70 % below on demand` },
  fargateSpotGbSeconds: { usd: (0.3 * 0.004445) / 3600, source: `${FARGATE}; up to 70 % below on demand` },
  stateTransitions: { usd: 0.025 / 1000, source: 'aws.amazon.com/step-functions/pricing, Standard (2026-03)' },
  s3Writes: { usd: 0.005 / 1000, source: S3 },
  s3Reads: { usd: 0.0004 / 1000, source: S3 },
  s3GbMonths: { usd: 0.023, source: S3 },
  tableWrites: { usd: 0.625 / 1e6, source: DYNAMODB },
  tableReads: { usd: 0.125 / 1e6, source: DYNAMODB },
  queueRequests: { usd: 0.5 / 1e6, source: 'FIFO; public price copies, undated' },
  logsGb: { usd: 0.5, source: 'CloudWatch Logs ingestion; public price copies, undated' },
  interfaceEndpointSeconds: { usd: 0.01 / 3600, source: 'a zone of an interface endpoint; cloudcostkit.com, undated' },
} as const satisfies Record<string, Price>;

/**
 * SageMaker instances, USD an hour; training and hosting cost the same. GPU types read on
 * 2026-09-27 and cross-checked with the Price List API of 2026-08; the two CPU types are older list prices, not cross-checked.
 */
export const INSTANCE_HOUR_PRICES: Readonly<Record<string, number>> = {
  'ml.m5.xlarge': 0.23,
  'ml.c5.xlarge': 0.204,
  'ml.g4dn.xlarge': 0.736,
  'ml.g5.xlarge': 1.41,
  'ml.g5.2xlarge': 1.52,
  'ml.g5.4xlarge': 2.03,
  'ml.g5.8xlarge': 3.06,
  'ml.g5.12xlarge': 7.09,
  'ml.g5.24xlarge': 10.18,
  'ml.g5.48xlarge': 20.36,
  'ml.g6.xlarge': 1.127,
  'ml.g6.2xlarge': 1.222,
  'ml.g6.4xlarge': 1.654,
  'ml.g6.8xlarge': 2.518,
  'ml.g6.12xlarge': 5.752,
  'ml.g6.24xlarge': 8.344,
  'ml.g6.48xlarge': 16.688,
  'ml.g6e.xlarge': 2.61,
  'ml.g6e.2xlarge': 2.8,
  'ml.g6e.4xlarge': 3.76,
  'ml.g6e.8xlarge': 5.66,
  'ml.g6e.12xlarge': 13.12,
  'ml.g6e.24xlarge': 18.83,
  'ml.g6e.48xlarge': 37.66,
  'ml.g7e.2xlarge': 4.204,
  'ml.g7e.4xlarge': 4.998,
  'ml.g7e.12xlarge': 10.358,
  'ml.p4d.24xlarge': 25.25,
  'ml.p4de.24xlarge': 31.56,
  'ml.p5.4xlarge': 7.912,
  'ml.p5.48xlarge': 63.296,
};

/** Managed spot training costs this share of on demand, low and high: others plan with 60–70 % off; AWS says up to 90 %. */
export const SPOT_SHARE = { low: 0.3, high: 0.4 } as const;
