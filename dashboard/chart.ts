import { escapeHtml } from './escape.ts';
import { type Scale, scaleOver } from './scale.ts';

/** A measured value; `error` is half the length of its error bar. */
export interface Point {
  readonly x: number;
  readonly y: number;
  readonly error?: number;
}

export interface Series {
  readonly name: string;
  readonly points: readonly Point[];
  /** Emphasised over the other series: thicker and in the colour of text. */
  readonly strong?: boolean;
}

export interface Chart {
  readonly title: string;
  /** What is shown and how to read it: one sentence. */
  readonly note: string;
  readonly xLabel: string;
  readonly series: readonly Series[];
  /** Values that the vertical axis must reach besides the data's. */
  readonly include?: readonly number[];
  readonly format: (value: number) => string;
}

const WIDTH = 460;
const HEIGHT = 220;
const MARGIN = { left: 46, right: 14, top: 10, bottom: 30 } as const;
const RIGHT = WIDTH - MARGIN.right;
const BOTTOM = HEIGHT - MARGIN.bottom;

/** A chart as a figure with an SVG drawing, a legend and a note; a sentence instead of the drawing when there is nothing to draw. */
export function renderChart(chart: Chart): string {
  const series = chart.series.filter(({ points }) => points.length > 0);
  const drawing = series.length === 0 ? '<p class="empty">Nothing was measured yet.</p>' : drawingOf(chart, series);
  return `<figure class="card"><figcaption><h3>${escapeHtml(chart.title)}</h3><p>${escapeHtml(chart.note)}</p></figcaption>${drawing}${legend(series)}</figure>`;
}

/**
 * A chart as a picture of its own, for documents: an SVG file with title, legend and the style inside.
 * @param style style sheet that the classes of {@link renderChart} are drawn with
 */
export function chartPicture(chart: Chart, style: string): string {
  const series = chart.series.filter(({ points }) => points.length > 0);
  const names = series.map(
    (one, index) => `<tspan class="${colour(one, index)}" fill="currentColor" dx="12">${escapeHtml(one.name)}</tspan>`,
  );
  const head = `<text class="tick" x="${MARGIN.left - 12}" y="12">${names.join('')}</text>`;
  const frame = `xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT + 20}" font-family="system-ui, sans-serif"`;
  return `<svg ${frame}><title>${escapeHtml(chart.title)}</title><style>${style}</style>${head}<g transform="translate(0 20)">${marksOf(chart, series)}</g></svg>\n`;
}

function drawingOf(chart: Chart, series: readonly Series[]): string {
  const label = escapeHtml(`${chart.title}: ${chart.note}`);
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${label}">${marksOf(chart, series)}</svg>`;
}

function marksOf(chart: Chart, series: readonly Series[]): string {
  const points = series.flatMap((one) => one.points);
  const heights = points.flatMap(({ y, error = 0 }) => [y - error, y + error]);
  const y = scaleOver([...heights, ...(chart.include ?? [])], [BOTTOM, MARGIN.top]);
  const xs = points.map((point) => point.x);
  const x = scaleOver(
    xs.length > 0 && Math.min(...xs) === Math.max(...xs) ? [xs[0] as number, (xs[0] as number) + 1] : xs,
    [MARGIN.left, RIGHT],
    8,
  );
  const lines = series.map((one, index) => seriesMarks(one, index, x, y, chart));
  return grid(x, y, chart) + lines.join('');
}

function grid(x: Scale, y: Scale, chart: Chart): string {
  const rows = y.ticks.map((tick) => {
    const at = n(y.at(tick));
    return `<line class="grid" x1="${MARGIN.left}" x2="${RIGHT}" y1="${at}" y2="${at}"/><text class="tick" x="${MARGIN.left - 6}" y="${at}" dy="0.32em" text-anchor="end">${escapeHtml(chart.format(tick))}</text>`;
  });
  const columns = x.ticks
    .filter((tick) => Number.isInteger(tick))
    .map((tick) => `<text class="tick" x="${n(x.at(tick))}" y="${BOTTOM + 13}" text-anchor="middle">${tick}</text>`);
  const label = `<text class="tick" x="${(MARGIN.left + RIGHT) / 2}" y="${HEIGHT - 3}" text-anchor="middle">${escapeHtml(chart.xLabel)}</text>`;
  return rows.join('') + columns.join('') + label;
}

function seriesMarks(series: Series, index: number, x: Scale, y: Scale, chart: Chart): string {
  const path = series.points
    .map((point, i) => `${i === 0 ? 'M' : 'L'}${n(x.at(point.x))} ${n(y.at(point.y))}`)
    .join('');
  const marks = series.points.map((point) => {
    const px = n(x.at(point.x));
    const bar = point.error
      ? `<line class="bar" x1="${px}" x2="${px}" y1="${n(y.at(point.y - point.error))}" y2="${n(y.at(point.y + point.error))}"/>`
      : '';
    const spread = point.error ? ` ± ${chart.format(point.error)}` : '';
    const title = `${series.name}, ${chart.xLabel} ${point.x}: ${chart.format(point.y)}${spread}`;
    return `${bar}<circle cx="${px}" cy="${n(y.at(point.y))}" r="2.6"><title>${escapeHtml(title)}</title></circle>`;
  });
  return `<g class="${colour(series, index)}"><path d="${path}"/>${marks.join('')}</g>`;
}

function legend(series: readonly Series[]): string {
  if (series.length < 2) return '';
  const items = series.map((one, index) => `<li class="${colour(one, index)}">${escapeHtml(one.name)}</li>`);
  return `<ul class="legend">${items.join('')}</ul>`;
}

function colour(series: Series, index: number): string {
  return series.strong ? 'series strong' : `series s${index % 9}`;
}

function n(value: number): string {
  return String(Math.round(value * 10) / 10);
}
