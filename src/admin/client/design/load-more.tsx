import { Button, Group } from '@mantine/core';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
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
  if (!list.hasNextPage) return null;
  return (
    <Group gap={10} justify="center">
      {list.isFetchNextPageError ? (
        <span role="alert" style={{ color: 'var(--danger)' }}>
          {messageOf(list.error)}
        </span>
      ) : null}
      <Button size="xs" variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
        {list.isFetchNextPageError ? 'Try again' : label}
      </Button>
    </Group>
  );
}
