import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme } from '@mantine/core';
import { useElementSize, useMergedRef } from '@mantine/hooks';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import classes from './logs.module.css';
import type { HourCount } from '../api/models.js';
import type { TimeRange } from './use-logs.js';

const HOUR = 3600;
const CAPTION = 'Entries per hour';

/** One value per hour from the first, or a day ago, until now; null, which draws nothing, where nothing happened. */
function series(stats: readonly HourCount[]): [number[], (number | null)[]] {
  if (!stats.length) return [[], []];
  const counts = new Map(
    stats.map((each) => [Math.floor(Date.parse(each.date.replace(' ', 'T')) / 1000 / HOUR) * HOUR, each.total]),
  );
  const last = Math.max(...counts.keys(), Math.floor(Date.now() / 1000 / HOUR) * HOUR);
  const first = Math.min(...counts.keys(), last - 23 * HOUR);
  const times: number[] = [];
  for (let time = first; time <= last; time += HOUR) times.push(time);
  return [times, times.map((time) => counts.get(time) ?? null)];
}

interface LogsChartProps {
  readonly stats: readonly HourCount[];
  readonly range: TimeRange | null;
  readonly onRange: (range: TimeRange | null) => void;
}

const DAY = 24 * HOUR;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** How many points a label takes, with air. */
const LABEL_WIDTH = 90;

/** The time axis in UTC: hours with the day below where one begins, or days with the year below. */
const timeLabels: uPlot.Axis.DynamicValues = (chart, times, _axis, _space, step) => {
  const { min = 0, max = 1 } = chart.scales.x as { min?: number; max?: number };
  const labels = times.map((time) => {
    const date = new Date(time * 1000);
    const day = `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`;
    const clock = date.toISOString().slice(11, step < 60 ? 19 : 16);
    return step < DAY
      ? { above: clock, below: `${day} ${date.getUTCFullYear()}` }
      : { above: day, below: String(date.getUTCFullYear()) };
  });
  const turn = labels.findIndex(({ below }) => below !== labels[0]!.below);
  // The first one gives way to a day that begins right after it.
  const crowded = turn > 0 && ((times[turn]! - times[0]!) / (max - min)) * chart.width < LABEL_WIDTH;
  return labels.map(({ above, below }, index) =>
    (index === 0 ? !crowded : below !== labels[index - 1]!.below) ? `${above}\n${below}` : above,
  );
};

/** What the chart counts, or how much there was in the hour under the pointer. */
function captionOf(chart: uPlot): string {
  const index = chart.cursor.idx;
  if (index === null || index === undefined) return CAPTION;
  const hour = new Date(chart.data[0][index]! * 1000).toISOString();
  const count = chart.data[1]![index] ?? 0;
  return `${hour.slice(0, 10)} ${hour.slice(11, 16)} UTC: ${count.toLocaleString('en')} ${count === 1 ? 'entry' : 'entries'}`;
}

/** Shows a range, or all hours with room for the first and the last bar. */
function show(chart: uPlot, range: TimeRange | null): void {
  const times = chart.data[0];
  if (range) chart.setScale('x', { min: range.from / 1000, max: range.to / 1000 });
  else if (times.length) chart.setScale('x', { min: times[0]! - HOUR / 2, max: times.at(-1)! + HOUR / 2 });
}

/** How many entries each hour had. Drag to zoom, drag with Shift to pan, double click to reset. */
export function LogsChart({ stats, range, onRange }: LogsChartProps) {
  const { ref: sizeRef, width } = useElementSize<HTMLDivElement>();
  const ref = useRef<HTMLDivElement>(null);
  const merged = useMergedRef(ref, sizeRef);
  const scheme = useComputedColorScheme('light');
  const plot = useRef<uPlot | null>(null);
  const caption = useRef<HTMLParagraphElement>(null);
  const latest = useRef(onRange);
  latest.current = onRange;
  const zoom = useRef(range);
  zoom.current = range;
  useEffect(() => {
    const host = ref.current;
    if (!host || !width) return undefined;
    const style = getComputedStyle(document.documentElement);
    const colour = (name: string) => style.getPropertyValue(name).trim();
    const accent =
      scheme === 'dark'
        ? style.getPropertyValue('--mantine-color-accent-4')
        : style.getPropertyValue('--mantine-color-accent-7');
    const axis = {
      stroke: colour('--ink-3'),
      grid: { stroke: colour('--line'), width: 1 },
      ticks: { show: false },
      font: "11px 'Inter Variable', sans-serif",
    };
    const chart = new uPlot(
      {
        width,
        height: 124,
        padding: [8, 18, 0, 0],
        legend: { show: false },
        // As the dates in the table below.
        tzDate: (time) => uPlot.tzDate(new Date(time * 1000), 'Etc/UTC'),
        cursor: { y: false, points: { show: false }, drag: { x: true, y: false, setScale: false } },
        scales: { x: { time: true }, y: { range: (_chart, _low, high) => [0, Math.max(4, high)] } },
        axes: [
          { ...axis, grid: { show: false }, values: timeLabels },
          { ...axis, size: 40 },
        ],
        series: [
          {},
          {
            stroke: accent,
            fill: `${accent.trim()}33`,
            width: 1,
            points: { show: false },
            paths: uPlot.paths.bars!({ size: [0.8, 40], radius: 0.15 }),
          },
        ],
        hooks: {
          setCursor: [(self) => caption.current && (caption.current.textContent = captionOf(self))],
          setSelect: [
            (self) => {
              if (self.select.width < 4) return;
              const from = self.posToVal(self.select.left, 'x') * 1000;
              const to = self.posToVal(self.select.left + self.select.width, 'x') * 1000;
              self.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
              latest.current({ from, to });
            },
          ],
        },
      },
      series(stats),
      host,
    );
    const over = chart.over;
    const pan = (event: PointerEvent) => {
      if (!event.shiftKey || event.button !== 0) return;
      event.stopPropagation();
      event.preventDefault();
      const { min, max } = chart.scales.x!;
      const start = event.clientX;
      const perPixel = (max! - min!) / over.clientWidth;
      const move = (moved: PointerEvent) =>
        chart.setScale('x', {
          min: min! - (moved.clientX - start) * perPixel,
          max: max! - (moved.clientX - start) * perPixel,
        });
      const end = () => {
        window.removeEventListener('pointermove', move);
        latest.current({ from: chart.scales.x!.min! * 1000, to: chart.scales.x!.max! * 1000 });
      };
      window.addEventListener('pointermove', move);
      window.addEventListener('pointerup', end, { once: true });
    };
    // uPlot starts its selection on mousedown: with Shift it must not see it.
    const hold = (event: MouseEvent) => {
      if (event.shiftKey) event.stopImmediatePropagation();
    };
    over.addEventListener('pointerdown', pan, true);
    over.addEventListener('mousedown', hold, true);
    over.addEventListener('dblclick', () => latest.current(null));
    show(chart, zoom.current);
    plot.current = chart;
    return () => chart.destroy();
  }, [stats, width, scheme]);
  useEffect(() => {
    const chart = plot.current;
    if (chart) show(chart, range);
  }, [range]);
  const sum = stats.reduce((total, each) => total + each.total, 0);
  return (
    <>
      <p ref={caption} className={`hint tabular ${classes.caption}`} aria-hidden>
        {CAPTION}
      </p>
      <div
        ref={merged}
        role="img"
        aria-label={`${sum} log entries in ${stats.length} hours. Drag to zoom.`}
        style={{ height: 124 }}
      />
    </>
  );
}
