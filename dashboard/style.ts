/** What charts are drawn with, readable in light and dark. */
export const CHART_STYLE = `
:root { color-scheme: light dark; --ink: #1c2330; --soft: #5b6577; --page: #f5f6f8; --card: #ffffff; --rule: #dfe3ea;
  --s0: #0066cc; --s1: #c8500a; --s2: #0a8a5c; --s3: #a1388f; --s4: #8a6d00; --s5: #00829b; --s6: #b3261e; --s7: #5d52c4; --s8: #6b7280; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ebf1; --soft: #9aa5b8; --page: #12161d; --card: #1a202a; --rule: #313a48;
  --s0: #6cb2ff; --s1: #ff9d5c; --s2: #4fd39b; --s3: #e48ad6; --s4: #e3c14a; --s5: #4fcbe6; --s6: #ff8a80; --s7: #aea4ff; --s8: #a3acba; } }
.grid { stroke: var(--rule); stroke-width: 1; } .tick { fill: var(--soft); font-size: 10.5px; font-variant-numeric: tabular-nums; }
.series path { fill: none; stroke: currentColor; stroke-width: 2; stroke-linejoin: round; } .series circle { fill: currentColor; } .series .bar { stroke: currentColor; stroke-width: 1.3; opacity: 0.55; }
.strong { color: var(--ink); } .strong path { stroke-width: 3; }
${Array.from({ length: 9 }, (_, i) => `.s${i} { color: var(--s${i}); }`).join(' ')}
`;

/** The page's style sheet: readable in light and dark, on paper and on a phone; no outside resource. */
export const STYLE = `${CHART_STYLE}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1480px; padding: 24px clamp(12px, 3vw, 40px) 60px; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
h1 { font-size: 26px; margin: 0 0 2px; letter-spacing: -0.01em; } h2 { font-size: 18px; margin: 36px 0 12px; } h3 { font-size: 15px; margin: 0; }
p { margin: 0; } .sub, figcaption p, .empty, .foot { color: var(--soft); } figcaption p { font-size: 13px; } .foot { margin-top: 36px; font-size: 13px; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(170px, 1fr)); gap: 12px; margin: 20px 0 0; padding: 0; list-style: none; }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(400px, 100%), 1fr)); gap: 14px; }
.card, .tiles li, details { background: var(--card); border: 1px solid var(--rule); border-radius: 10px; }
.tiles li { padding: 12px 14px; } .tiles b { display: block; font-size: 22px; font-variant-numeric: tabular-nums; letter-spacing: -0.01em; } .tiles span { color: var(--soft); font-size: 13px; }
.card { margin: 0; padding: 14px 16px 12px; } svg { display: block; width: 100%; height: auto; margin-top: 8px; } .empty { padding: 40px 0; text-align: center; }
.legend { display: flex; flex-wrap: wrap; gap: 2px 14px; list-style: none; margin: 6px 0 0; padding: 0; font-size: 12.5px; }
.legend li::before { content: ""; display: inline-block; width: 14px; height: 3px; border-radius: 2px; background: currentColor; vertical-align: middle; margin-right: 6px; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: 13px; font-variant-numeric: tabular-nums; }
th, td { padding: 6px 8px; text-align: right; border-bottom: 1px solid var(--rule); white-space: nowrap; } th { color: var(--soft); font-weight: 600; } tr:last-child td { border-bottom: 0; }
th.text, td.text { text-align: left; }
details { margin: 0 0 8px; } summary { cursor: pointer; padding: 10px 14px; display: flex; flex-wrap: wrap; gap: 4px 14px; align-items: baseline; } summary b { min-width: 12ch; }
summary span { color: var(--soft); font-size: 13.5px; font-variant-numeric: tabular-nums; } details > div { padding: 0 14px 14px; }
blockquote { margin: 0 0 10px; padding: 6px 12px; border-left: 3px solid var(--s0); } pre { margin: 0; padding: 12px; overflow-x: auto; background: var(--page); border-radius: 8px;
  font: 12.5px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; tab-size: 4; }
@media print { body { background: #fff; } details { break-inside: avoid; } }
`;
