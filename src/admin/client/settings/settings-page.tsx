import '../design/mantine-more-styles.js';
import { Button, Select } from '@mantine/core';
import { IconMapQuestion } from '@tabler/icons-react';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { lazy, Suspense, type ComponentType } from 'react';
import { useHideControls } from '../api/queries.js';
import { usePageTitle } from '../app/use-page-title.js';
import { EmptyState, LoadingLines } from '../design/states.js';
import { SETTINGS_SECTIONS } from './sections.js';
import classes from './settings.module.css';

const SCREENS: Readonly<Record<string, ComponentType>> = {
  application: lazy(async () => ({ default: (await import('./application-screen.js')).ApplicationScreen })),
  mail: lazy(async () => ({ default: (await import('./mail-screen.js')).MailScreen })),
  storage: lazy(async () => ({ default: (await import('./storage-screen.js')).StorageScreen })),
  backups: lazy(async () => ({ default: (await import('../backups/backups-screen.js')).BackupsScreen })),
  insights: lazy(async () => ({ default: (await import('./insights-screen.js')).InsightsScreen })),
  crons: lazy(async () => ({ default: (await import('./crons-screen.js')).CronsScreen })),
  export: lazy(async () => ({ default: (await import('./export-screen.js')).ExportScreen })),
  import: lazy(async () => ({ default: (await import('./import-screen.js')).ImportScreen })),
  sql: lazy(async () => ({ default: (await import('./sql-screen.js')).SqlScreen })),
};

const WIDE: ReadonlySet<string> = new Set(['sql', 'import', 'insights']);

/** The list of settings and the one that is open. */
export function SettingsPage() {
  const { section = 'application' } = useParams({ strict: false }) as { section?: string };
  const navigate = useNavigate();
  const hideControls = useHideControls();
  const shown = SETTINGS_SECTIONS.filter((each) => !(hideControls && each.structural));
  const current = shown.find((each) => each.key === section);
  const Screen = current ? SCREENS[current.key] : undefined;
  usePageTitle(current?.label ?? 'Not found');
  const groups = ['System', 'Data', 'Tools'] as const;
  return (
    <div className={classes.page}>
      <nav className={classes.nav} aria-label="Settings">
        {groups.map((group) => (
          <section key={group} aria-label={group}>
            <h2 className={classes.group}>{group}</h2>
            {shown
              .filter((each) => each.group === group)
              .map(({ key, label, Icon }) => (
                <Link
                  key={key}
                  to={'/settings/$section' as never}
                  params={{ section: key } as never}
                  className={classes.item}
                >
                  <Icon size={16} stroke={1.6} aria-hidden /> {label}
                </Link>
              ))}
          </section>
        ))}
      </nav>
      <div className={classes.scroll}>
        <div className={classes.narrowNav}>
          <Select
            aria-label="Settings"
            allowDeselect={false}
            placeholder="Choose settings"
            value={current ? section : null}
            data={shown.map((each) => ({ value: each.key, label: each.label }))}
            onChange={(value) =>
              value && void navigate({ to: '/settings/$section' as never, params: { section: value } as never })
            }
          />
        </div>
        {current && Screen ? (
          <div className={classes.screen} data-wide={WIDE.has(current.key) || undefined}>
            <h1 className={classes.title}>{current.label}</h1>
            <Suspense fallback={<LoadingLines />}>
              <Screen />
            </Suspense>
          </div>
        ) : (
          <EmptyState
            icon={<IconMapQuestion size={22} />}
            title="There are no such settings"
            action={
              <Button component="a" href="#/settings/application" variant="default" size="xs">
                Go to the settings of the application
              </Button>
            }
          >
            The link may be old.
          </EmptyState>
        )}
      </div>
    </div>
  );
}
