/** Compares cdk-nag's findings with the accepted ones: `node scripts/check-nag.ts REPORT` (called by `npm run check:infra`). */
import { readFileSync } from 'node:fs';
import { ACCEPTED } from '../infra/nag.ts';

interface Report {
  readonly pluginReports: readonly {
    readonly violations: readonly {
      readonly ruleName: string;
      readonly violatingConstructs: readonly { readonly constructPath: string }[];
    }[];
  }[];
}

const [file = ''] = process.argv.slice(2);
const report = JSON.parse(readFileSync(file, 'utf8')) as Report;
const findings = report.pluginReports.flatMap(({ violations }) =>
  violations.flatMap(({ ruleName, violatingConstructs }) =>
    violatingConstructs.map(({ constructPath }) => `${ruleName} ${constructPath}`),
  ),
);
const open = findings.filter((finding) => !ACCEPTED.some((accepted) => accepted.finding.test(finding)));
const idle = ACCEPTED.filter((accepted) => !findings.some((finding) => accepted.finding.test(finding)));
for (const finding of open) console.log(`not accepted: ${finding}`);
for (const { finding } of idle) console.log(`accepted, but not found any more: ${finding}`);
console.log(
  `cdk-nag: ${findings.length} findings, ${findings.length - open.length} accepted with a reason, ${open.length} open`,
);
process.exit(open.length + idle.length === 0 ? 0 : 1);
