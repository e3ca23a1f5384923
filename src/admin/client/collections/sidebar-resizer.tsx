import classes from './sidebar.module.css';

const MIN = 180;
const MAX = 480;

/** The edge of the sidebar: dragged with the pointer, moved by arrow keys. */
export function SidebarResizer({ width, onChange }: { width: number; onChange: (width: number) => void }) {
  const set = (value: number) => onChange(Math.round(Math.min(MAX, Math.max(MIN, value))));
  return (
    <div
      className={classes.resizer}
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the sidebar"
      aria-valuenow={width}
      aria-valuemin={MIN}
      aria-valuemax={MAX}
      tabIndex={0}
      onKeyDown={(event) => {
        if (event.key === 'ArrowLeft') set(width - 16);
        if (event.key === 'ArrowRight') set(width + 16);
      }}
      onPointerDown={(event) => {
        event.preventDefault();
        const target = event.currentTarget;
        target.setPointerCapture(event.pointerId);
        const start = event.clientX - width;
        const move = (moved: PointerEvent) => set(moved.clientX - start);
        target.addEventListener('pointermove', move);
        target.addEventListener('pointerup', () => target.removeEventListener('pointermove', move), { once: true });
      }}
    />
  );
}
