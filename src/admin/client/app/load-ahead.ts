const QUIET = 3000;

/**
 * Fetches, once the page has nothing better to do, what may be asked for when the server has just gone away: without it
 * nothing could say so. Returns what calls it off.
 */
export function loadAhead(): () => void {
  const timer = setTimeout(
    () =>
      void Promise.allSettled([
        import('../design/mantine-more-styles.js'),
        import('./toasts.js'),
        import('../design/question-dialog.js'),
        import('../records/record-panel.js'),
        import('../records/selection-bar.js'),
        import('../records/column-menu.js'),
        import('../records/past-searches-menu.js'),
        import('./account-menu.js'),
      ]),
    QUIET,
  );
  return () => clearTimeout(timer);
}
