import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderChart } from './chart.ts';
import { reportCharts } from './charts.ts';
import { benchmarkScores, byInterest, meanDifficulty } from './data.ts';
import { escapeHtml } from './escape.ts';
import { decimal, percent, usd } from './format.ts';
import { renderReport } from './report.ts';
import { scaleOver } from './scale.ts';
import { reportFor, viewFor } from './testing.ts';

describe('escapeHtml', () => {
  it('leaves no mark that could open a tag, an attribute or an entity, and no hidden one', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('<', '>', '&', '"', "'", 'a', '\u0000', '\u202E', '\n') }),
        (text) => {
          expect(escapeHtml(text)).not.toMatch(/[<>"'\u0000\u202E]|&(?!(?:amp|lt|gt|quot|#39);)/);
        },
      ),
    );
  });

  it('keeps line ends and letters of all scripts', () => {
    expect(escapeHtml('a\tb\nß 数 😀')).toBe('a\tb\nß 数 😀');
  });
});

describe('renderReport', () => {
  const evil = `<script>alert(1)</script>"><img src=x onerror=alert(2)>`;

  it('escapes everything that a model wrote', () => {
    const view = viewFor(evil);
    const page = renderReport(reportFor(2, [{ ...view, source: `# ${evil}`, hint: `</blockquote>${evil}` }]));
    expect(page).not.toContain('<script');
    expect(page).not.toContain('<img');
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  });

  it('needs nothing from outside and runs no script', () => {
    const page = renderReport(reportFor(3));
    expect(page).not.toMatch(/https?:|<script|<link|url\(|@import/);
    expect(page).toContain("default-src 'none'");
  });

  it('is a function of its data', () => {
    expect(renderReport(reportFor(3))).toBe(renderReport(reportFor(3)));
  });

  it('has a row per iteration and a drawing per measured curve', () => {
    const page = renderReport(reportFor(4));
    expect(page.match(/<tr>/g)).toHaveLength(1 + 4);
    expect(page.match(/<svg/g)).toHaveLength(reportCharts(reportFor(4)).length);
  });

  it('says so when nothing was measured yet', () => {
    const page = renderReport(reportFor(0, []));
    expect(page).toContain('No iteration is closed yet');
    expect(page).toContain('No environment was admitted yet');
    expect(page).not.toContain('<svg');
    expect(page).not.toMatch(/NaN|undefined|Infinity/);
  });

  it.each([1, 2, 40])('draws %d iterations without a number that is none', (iterations) => {
    expect(renderReport(reportFor(iterations))).not.toMatch(/NaN|undefined|Infinity/);
  });

  it('shows the most telling environments first, and not too many', () => {
    const views = Array.from({ length: 30 }, (_, i) => viewFor(`Game${i}Env`, { regret: i / 100 }));
    const titles = [...renderReport(reportFor(1, views)).matchAll(/<b>(Game\d+Env)<\/b>/g)].map((match) => match[1]);
    expect(titles).toHaveLength(12);
    expect(titles[0]).toBe('Game29Env');
  });
});

describe('renderChart', () => {
  const chart = { title: 't', note: 'n', xLabel: 'x', format: (value: number) => String(value) };

  it('draws error bars within the axis', () => {
    const svg = renderChart({
      ...chart,
      series: [
        {
          name: 's',
          points: [
            { x: 0, y: 0.5, error: 0.4 },
            { x: 1, y: 0.6, error: 0.4 },
          ],
        },
      ],
    });
    const ys = [...svg.matchAll(/class="bar"[^>]*y1="([\d.]+)" y2="([\d.]+)"/g)].flatMap((m) => [
      Number(m[1]),
      Number(m[2]),
    ]);
    expect(ys).toHaveLength(4);
    for (const y of ys) expect(y >= 10 && y <= 190).toBe(true);
  });

  it('names its series only when there are several', () => {
    const series = (name: string) => ({ name, points: [{ x: 1, y: 1 }] });
    expect(renderChart({ ...chart, series: [series('a')] })).not.toContain('legend');
    expect(renderChart({ ...chart, series: [series('a'), series('b')] })).toContain('legend');
  });
});

describe('scaleOver', () => {
  it('ends at round numbers around the values', () => {
    expect(scaleOver([0.42, 0.79], [0, 100]).ticks).toEqual([0.4, 0.5, 0.6, 0.7, 0.8]);
    expect(scaleOver([3, 3], [0, 100]).ticks.length).toBeGreaterThan(1);
    expect(scaleOver([0, 0], [0, 100]).ticks[0]).toBe(0);
  });

  it('keeps order and stays within the pixels', () => {
    const value = fc.double({ min: -1e6, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(fc.array(value, { minLength: 1 }), (values) => {
        const { at, ticks } = scaleOver(values, [0, 100]);
        for (const v of values) expect(at(v) >= -1e-6 && at(v) <= 100 + 1e-6).toBe(true);
        expect(ticks.every((tick, i) => i === 0 || tick > (ticks[i - 1] as number))).toBe(true);
        expect(ticks.length).toBeLessThan(12);
      }),
    );
  });
});

describe('data', () => {
  it('keeps one score per version, in order', () => {
    const { records } = reportFor(3);
    expect(benchmarkScores([...records].reverse()).map((score) => score.policyVersion)).toEqual([0, 1, 2]);
  });

  it('takes the mean over skills and moved dimensions', () => {
    const { records, config } = reportFor(1);
    expect(meanDifficulty(records[0]!, config)).toBe(3);
    expect(meanDifficulty({ ...records[0]!, scores: { ...records[0]!.scores, difficulty: {} } }, config)).toBeNull();
  });

  it('ranks by regret, then by nearness to the edge; what was not played comes last', () => {
    const views = [
      viewFor('unplayed', null),
      viewFor('low', { regret: 0.1 }),
      viewFor('edge', { winRate: { hinted: 1, unhinted: 0.5 } }),
      viewFor('far', { winRate: { hinted: 1, unhinted: 0.9 } }),
    ];
    expect(views.sort(byInterest).map((view) => view.card.title)).toEqual(['edge', 'far', 'low', 'unplayed']);
  });
});

describe('format', () => {
  it('shows a dash for what was not measured', () => {
    expect([decimal(null), percent(undefined), usd(null)]).toEqual(['–', '–', '–']);
    expect([decimal(0.126), percent(0.126), usd(0), usd(0.0123), usd(3)]).toEqual([
      '0.13',
      '13 %',
      '$0.00',
      '$0.0123',
      '$3.00',
    ]);
  });
});
