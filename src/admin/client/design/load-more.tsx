import { Button, Group } from '@mantine/core';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { messageOf } from '../api/failure.js';

interface LoadMoreProps {
  readonly list: Pick<
    UseInfiniteQueryResult,
    'hasNextPage' | 'isFetchingNextPage' | 'isFetchNextPageError' | 'error' | 'fetchNextPage'
  >;
  readonly label?: string;
}

/** The button below a list that fetches its next page, and why that failed; nothing when there is none. */
export function LoadMore({ list, label = 'Load more' }: LoadMoreProps) {
  const frame = useRef<HTMLDivElement>(null);
  const failed = list.isFetchNextPageError;
  // On a phone the button goes below what is said, out of sight.
  useEffect(() => {
    if (failed) frame.current?.scrollIntoView({ block: 'nearest' });
  }, [failed]);
  if (!list.hasNextPage) return null;
  return (
    <Group gap={10} justify="center" ref={frame} style={{ scrollMarginBottom: 14 }}>
      {failed ? (
        <span role="alert" style={{ color: 'var(--danger)' }}>
          {messageOf(list.error)}
        </span>
      ) : null}
      <Button size="xs" variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
        {failed ? 'Try again' : label}
      </Button>
    </Group>
  );
}
