import { Button } from '@mantine/core';
import { IconPuzzleOff, IconRefresh } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { extensionsQuery } from '../api/queries.js';
import { NotFoundPage } from '../app/not-found-page.js';
import { usePageTitle } from '../app/use-page-title.js';
import { EmptyState, FailedState, LoadingLines } from '../design/states.js';
import classes from './extensions.module.css';
import { textOf } from './load-extension.js';
import { useExtensionElement } from './use-extension-element.js';

const NOTHING = {};

function Page({ script, page }: { script: string; page: { title: string; element: string } }) {
  usePageTitle(page.title);
  const { place, isShown, failure, retry } = useExtensionElement({
    script,
    name: page.element,
    properties: NOTHING,
  });
  if (failure) {
    return (
      <div role="alert">
        <EmptyState
          icon={<IconPuzzleOff size={22} />}
          title={`“${page.title}” cannot be shown`}
          action={
            <Button variant="default" size="xs" leftSection={<IconRefresh size={14} />} onClick={retry}>
              Try again
            </Button>
          }
        >
          {textOf(failure)}
        </EmptyState>
      </div>
    );
  }
  return (
    <>
      <div ref={place} className={classes.page} hidden={!isShown} />
      {isShown ? null : <LoadingLines />}
    </>
  );
}

/** A page that a module adds (UI-75). */
export function ExtensionPage() {
  const { page: path } = useParams({ strict: false }) as { page: string };
  const extensions = useQuery(extensionsQuery);
  if (extensions.isPending) return <LoadingLines />;
  if (extensions.isError) return <FailedState error={extensions.error} onRetry={() => void extensions.refetch()} />;
  for (const { script, pages } of extensions.data) {
    const page = pages.find((each) => each.path === path);
    // One page is not another one's place.
    if (page) return <Page key={`${script} ${page.element}`} script={script} page={page} />;
  }
  return <NotFoundPage />;
}
